#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace sluice::cli {

/// Says in one line why CLI11 refused a call, after the command's name; ends with where its help
/// is. `app` has parsed the call. Pure.
std::string parse_problem(const CLI::App& app, const CLI::ParseError& error);

}  // namespace sluice::cli
