#pragma once

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// Makes each option of the command and its subcommands refuse an empty value, which would count as
/// not given: scripts pass one for a variable that is unset. Call it after the last option.
void refuse_empty_values(CLI::App& command);

}  // namespace sluice::cli
