#pragma once

#include <optional>
#include <string>

#include "service/jobserver/auth_style.h"
#include "service/jobserver/client_setting.h"

namespace sluice::cli {

/// How a command finds its jobserver. `style`: "fifo", "pipe", "both", or "auto" to ask the
/// programs that it may call for their versions, which takes some milliseconds; any command may
/// call make. `program`: the command's own, of this kind.
ClientStyles client_styles(const std::string& style, ClientKind kind, const std::string& program);

/// The version that a program reports with --version; nullopt if it does not within some seconds.
std::optional<Version> program_version(const std::string& program);

}  // namespace sluice::cli
