#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sluice::cli {

/// `help COMMAND...` as the call it stands for: `COMMAND... --help`. Other calls stay as they are.
/// Pure.
std::vector<std::string> plain_call(std::vector<std::string> words);

/// What is wrong with the first command or option of a call that `app` does not know, in one line,
/// with the one that was probably meant; empty: it knows all of them. `words` has no program name.
/// What follows `--`, or the first word of a command that is to be run, is not looked at. Pure.
std::string unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace sluice::cli
