#pragma once

#include <string>
#include <vector>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// `help COMMAND...` as the equivalent `COMMAND... --help`. Leaves other calls unchanged. Pure.
std::vector<std::string> plain_call(std::vector<std::string> words);

/// Names the first command or option of a call that `app` does not know, in one line, with the one
/// that was probably meant, or the first option with `--` in the place of its value; empty if there
/// is none. `words` has no program name. Ignores everything after `--` or from the first word of a
/// command to run. Pure.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sluice::cli
