#include "cli/command_line/option_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

namespace sluice::cli {
namespace {

/// "a", "b" of "…{a,b}…".
std::vector<std::string> words_in(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

/// "1 to 100" of "…INT in [1 - 100]".
std::string range_in(const std::string& type) {
  const std::size_t open = type.find(" in ["), close = type.find(']');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string range = type.substr(open + 5, close - open - 5);
  if (const std::size_t dash = range.find(" - "); dash != std::string::npos) {
    range.replace(dash, 3, " to ");
  }
  return range;
}

/// "HOST:PORT" of "HOST:PORT:TEXT in …": the type without what its checks add.
std::string value_name(const std::string& type) {
  for (std::size_t colon = type.find(':'); colon != std::string::npos;
       colon = type.find(':', colon + 1)) {
    const std::string rest = type.substr(colon + 1);
    for (const char* check : {"{", "INT", "UINT", "FLOAT", "TEXT"}) {
      if (rest.starts_with(check)) return type.substr(0, colon);
    }
  }
  return type.substr(0, type.find(" in ["));
}

/// CLI11 has them in the order of their addresses.
std::vector<std::string> sorted_names(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* each : options) names.push_back(option_name(*each));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string option_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames().front();
}

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  if (option.get_items_expected_max() > 0) text.value = value_name(type);
  text.words = words_in(type);
  text.range = range_in(type);
  text.fallback = option.get_default_str();
  text.meaning = option.get_description();
  text.needs = sorted_names(option.get_needs());
  text.excludes = sorted_names(option.get_excludes());
  return text;
}

std::string command_name(const CLI::App& app) {
  return app.get_parent() ? command_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

bool takes_any_bytes(const CLI::Option& option) {
  if (option.get_positional()) return true;
  const std::string value = value_name(option.get_type_name());
  constexpr std::array kPathsAndCommands{"FILE", "FILE.svg|png", "PATH", "FOLDER", "DIR", "CMD"};
  return std::ranges::find(kPathsAndCommands, value) != kPathsAndCommands.end();
}

bool runs_a_command(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(), [](const CLI::Option* option) {
    return option->get_positional() && option->get_items_expected_max() > 1;
  });
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.back());
}

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  std::vector<const CLI::App*> shown;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) shown.push_back(command);
  }
  return shown;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands({});
  const auto found =
      std::ranges::find_if(commands, [&](const CLI::App* each) { return each->check_name(name); });
  return found == commands.end() ? nullptr : *found;
}

}  // namespace sluice::cli
