#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace sluice::cli {

/// A subcommand, and what its options are stored in, which lives as long.
template <typename Arguments>
struct AddedCommand {
  CLI::App& command;
  Arguments& arguments;
};

/// Adds a subcommand, which sets `exit_status` to what `execute` returns for its arguments.
template <typename Arguments>
AddedCommand<Arguments> add_command(CLI::App& app, int& exit_status, const char* name,
                                    const std::string& description,
                                    int (*execute)(const Arguments& arguments)) {
  CLI::App* command = app.add_subcommand(name, description);
  auto arguments = std::make_shared<Arguments>();
  command->callback([=, &exit_status] { exit_status = execute(*arguments); });
  return {*command, *arguments};
}

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
