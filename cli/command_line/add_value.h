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

/// Adds a flag that sets `into` to `value`.
template <typename Value>
CLI::Option* add_choice(CLI::App& command, const char* names, Value& into, Value value,
                        const std::string& help) {
  return command.add_flag_callback(
      names, [&into, value] { into = value; }, help);
}

}  // namespace sluice::cli
