#pragma once

#include <string>
#include <vector>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// Prints what may stand at the cursor of the call that follows `kCompletionCall` in `words`, with
/// what a running daemon and the table of configuration keys know. Returns the exit status, 0.
int answer_completion(const CLI::App& app, std::vector<std::string> words);

/// The script for a shell, "bash", "zsh" or "fish".
const char* completion_script(const std::string& shell);

}  // namespace sluice::cli
