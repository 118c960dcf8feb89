#include "cli/command_line/utf8_values.h"

#include <CLI/CLI.hpp>
#include <string>

#include "base/text.h"
#include "base/utf8.h"
#include "cli/command_line/option_text.h"

namespace sluice::cli {
namespace {

std::string problem_of(const std::string& value) {
  return is_utf8(value) ? "" : "must be UTF-8: " + escaped(value);
}

}  // namespace

void require_utf8(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const bool has_value = option->get_items_expected_max() > 0;
    if (has_value && !takes_any_bytes(*option)) option->check(problem_of);
  }
  for (CLI::App* command : app.get_subcommands({})) require_utf8(*command);
}

}  // namespace sluice::cli
