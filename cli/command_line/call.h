#pragma once

#include <string>
#include <vector>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// Opens /dev/null for missing standard streams, for this process alone, and writes each line on
/// standard error at once. Call it first in main. If false it has said why, and nothing may be
/// opened.
[[nodiscard]] bool prepare_standard_streams();

/// Parses the words of a call, without the program's name, and runs the callbacks of `app`. Returns
/// `exit_status` as they set it, or 2 for a wrong call or a std::exception. Says why on standard
/// error, each line after the command's name.
int carry_out(CLI::App& app, std::vector<std::string> words, const int& exit_status);

}  // namespace sluice::cli
