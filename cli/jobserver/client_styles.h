#pragma once

#include <map>
#include <optional>
#include <string>

#include "service/jobserver/auth_style.h"
#include "service/jobserver/client_setting.h"

namespace sluice::cli {

/// The versions that programs report, each of which is asked once. Not thread-safe.
class ProgramVersions {
 public:
  /// What a program says to --version; nullopt if it says no version within some seconds.
  std::optional<jobserver::Version> of(const std::string& program);

 private:
  std::map<std::string, std::optional<jobserver::Version>> asked_;
};

/// How a command finds its jobserver. `style`: "fifo", "pipe", "both", or "auto" to ask the
/// programs that it may call for their versions, which takes some milliseconds; any command may
/// call make. `program`: the command's own, of this kind.
jobserver::ClientStyles client_styles(const std::string& style, jobserver::ClientKind kind,
                                      const std::string& program, ProgramVersions& versions);

}  // namespace sluice::cli
