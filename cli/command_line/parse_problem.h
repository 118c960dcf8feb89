#pragma once

#include <string>

#include "cli/command_line/cli11.h"

namespace sluice::cli {

/// "--max needs a value: a whole number from 1 to 100". Pure.
std::string lacks_value(const CLI::Option& option);

/// A problem of a call, after the command's name and before where its help is. Pure.
std::string with_help(const CLI::App& command, const std::string& problem);

/// Says in one line why CLI11 refused a call, after the command's name; ends with where its help
/// is. `app` has parsed the call. Pure.
std::string parse_problem(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sluice::cli
