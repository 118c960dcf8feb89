#pragma once

#include <cstdint>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// Makes each option of the command and its subcommands refuse an empty value, which would count as
/// not given: scripts pass one for a variable that is unset. Call it after the last option.
void refuse_empty_values(CLI::App& command);

/// Makes the option take whole numbers in decimal digits alone, from `least` to `most`: CLI11 would
/// read 010 as 8, and -1 or what is too large as the largest number.
void require_decimal(CLI::Option& option, std::uint64_t least, std::uint64_t most);

}  // namespace sluice::cli
