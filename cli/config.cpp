#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <iostream>
#include <utility>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/settings/config_from.h"
#include "config/effective.h"
#include "config/option_help.h"
#include "config/reference.h"
#include "service/daemon/host_check.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ConfigArguments {
  std::string file;
  std::vector<std::string> options;
  bool json = false;
};

int print_config_errors(const ConfigArguments& arguments, const std::vector<ConfigError>& errors) {
  for (const ConfigError& error : errors) std::cerr << to_string(error) << "\n";
  if (!arguments.json) return 2;
  json::array all;
  for (const ConfigError& error : errors) {
    all.push_back({{"line", error.line}, {"column", error.column}, {"message", error.message}});
  }
  std::cout << json::object{{"file", arguments.file}, {"valid", false}, {"errors", std::move(all)}}
            << "\n";
  return 2;
}

int check(const ConfigArguments& arguments) {
  PartialConfig reading = read_partial_config(arguments.file, usable_cpus());
  std::vector<ConfigError>& errors = reading.errors;
  for (ConfigError& error : host_errors(reading.config)) errors.push_back(std::move(error));
  if (!errors.empty()) return print_config_errors(arguments, sorted_by_position(std::move(errors)));
  const Config& config = reading.config;
  if (arguments.json) {
    std::cout << json::object{{"file", arguments.file},
                              {"valid", true},
                              {"values_given", config.given.size()}}
              << "\n";
  } else {
    std::cout << arguments.file << ": valid, " << count_text(config.given.size(), "value")
              << " given\n";
  }
  return 0;
}

int show_config(const ConfigArguments& arguments) {
  const Config config = config_from(arguments.file);
  if (!arguments.json) {
    std::cout << describe(config);
    return 0;
  }
  json::array values;
  for (const EffectiveValue& value : effective_values(config)) {
    values.push_back({{"path", value.path}, {"value", value.value}, {"origin", value.origin}});
  }
  std::cout << values << "\n";
  return 0;
}

[[noreturn]] void refuse_option(const std::string& name) {
  std::vector<std::string> known;
  for (const ConfigName& each : config_names()) known.push_back(each.name);
  refuse("there is no option " + quote_text(name) + did_you_mean(name, known) +
         " (without a name, it prints all)");
}

/// The whole reference, or what it says of some options.
int reference(const ConfigArguments& arguments) {
  if (arguments.options.empty() && !arguments.json) {
    std::cout << config_reference_markdown();
    return 0;
  }
  std::vector<OptionHelp> options =
      arguments.options.empty() ? option_help("") : std::vector<OptionHelp>{};
  for (const std::string& name : arguments.options) {
    const std::vector<OptionHelp> found = option_help(name);
    if (found.empty()) refuse_option(name);
    options.insert(options.end(), found.begin(), found.end());
  }
  if (!arguments.json) {
    std::cout << to_text(options);
    return 0;
  }
  json::array all;
  for (const OptionHelp& each : options) {
    all.push_back({{"path", each.path},
                   {"kind", each.kind},
                   {"values", each.values},
                   {"default", each.fallback},
                   {"meaning", each.meaning},
                   {"example", each.example}});
  }
  std::cout << all << "\n";
  return 0;
}

}  // namespace

void add_config(CLI::App& app, int& exit_status) {
  CLI::App* config = app.add_subcommand("config", "Check, show and explain configurations");
  config->require_subcommand(1);

  const auto [check_command, checked] = add_command(
      *config, exit_status, "check",
      "List every reason `sluice serve` would refuse a file here; exit status 2 if any", check);
  add_value(check_command, "file", checked.file, "FILE", "A sluice.yaml")->required();
  check_command.add_flag("--json", checked.json, "Print one JSON object");
  check_command.footer("Examples:\n  sluice config check /etc/sluice.yaml\n");

  const auto [show_command, shown] = add_command(
      *config, exit_status, "show",
      "Show every value in force and where it comes from; without a file, show the defaults",
      show_config);
  add_value(show_command, "file", shown.file, "FILE", "A sluice.yaml");
  show_command.add_flag("--json", shown.json, "Print a JSON array");
  show_command.footer("Examples:\n  sluice config show\n  sluice config show sluice.yaml --json\n");

  const auto [reference_command, explained] =
      add_command(*config, exit_status, "reference",
                  "Explain every option: unit, range, default and reason", reference);
  add_value(reference_command, "option", explained.options, "OPTION",
            "An option, or a section with all of its options; default: print all as Markdown");
  reference_command.add_flag("--json", explained.json, "Print a JSON array");
  reference_command.footer(
      "Examples:\n"
      "  sluice config reference window.initial sensors.memory\n"
      "  sluice config reference > docs/config.md\n");
  config->footer(
      "Examples:\n"
      "  sluice config check /etc/sluice.yaml\n"
      "  sluice config show sluice.yaml | grep window\n");
}

}  // namespace sluice::cli
