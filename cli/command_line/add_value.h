#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
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

/// A check for options whose empty value would count as not given: "must not be empty", or nothing.
std::string problem_of_empty(const std::string& value);

/// Adds an option or positional whose value goes into `into`; the help calls the value `value`. An
/// empty value is refused: scripts pass one for a variable that is unset.
template <typename Into>
CLI::Option* add_value(CLI::App& command, const char* names, Into& into, const char* value,
                       const std::string& help) {
  return command.add_option(names, into, help)->type_name(value)->check(problem_of_empty);
}

/// The same, but an empty value has a meaning, which the help says.
template <typename Into>
CLI::Option* add_value_or_empty(CLI::App& command, const char* names, Into& into, const char* value,
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

/// Makes the option take whole numbers in decimal digits alone, from `least` to `most`: CLI11 would
/// read 010 as 8, and -1 or what is too large as the largest number.
void require_decimal(CLI::Option& option, std::uint64_t least, std::uint64_t most);

}  // namespace sluice::cli
