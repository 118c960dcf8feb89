#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sluice::cli {

/// Adds an option or positional whose value goes into `into`; the help calls the value `value`.
template <typename Into>
CLI::Option* add_value(CLI::App& command, const char* names, Into& into, const char* value,
                       const std::string& help) {
  return command.add_option(names, into, help)->type_name(value);
}

}  // namespace sluice::cli
