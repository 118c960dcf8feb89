#pragma once

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// Makes each option of `app` and its subcommands refuse a value that is not UTF-8, unless it
/// `takes_any_bytes`: JSON and the daemon take UTF-8 only. Call it once, before `app` parses a
/// call.
void require_utf8(CLI::App& app);

}  // namespace sluice::cli
