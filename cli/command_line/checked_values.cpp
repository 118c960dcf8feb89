#include "cli/command_line/checked_values.h"

#include <CLI/CLI.hpp>

#include "cli/command_line/option_text.h"

namespace sluice::cli {

void refuse_empty_values(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() > 0) option->check(problem_of_empty);
  }
  for (CLI::App* part : command.get_subcommands({})) refuse_empty_values(*part);
}

}  // namespace sluice::cli
