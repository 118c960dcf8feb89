#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/settings/config_from.h"
#include "config/effective.h"
#include "config/reference.h"
#include "service/daemon/host_check.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct ConfigArguments {
  std::string file;
  bool json = false;
};

int refuse(const ConfigArguments& arguments, const std::vector<ConfigError>& errors) {
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
  ConfigReading reading = read_what_can_be(arguments.file, usable_cpus());
  std::vector<ConfigError>& errors = reading.errors;
  for (ConfigError& error : host_errors(reading.config)) errors.push_back(std::move(error));
  if (!errors.empty()) return refuse(arguments, in_order_of_file(std::move(errors)));
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

int show(const ConfigArguments& arguments) {
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

}  // namespace

CLI::App* add_config(CLI::App& app, int& exit_status) {
  CLI::App* config = app.add_subcommand("config", "Check, show and explain configurations");
  config->require_subcommand(1);
  auto arguments = std::make_shared<ConfigArguments>();

  CLI::App* check_command = config->add_subcommand(
      "check", "List every reason `sluice serve` would refuse a file here; exit status 2 if any");
  check_command->add_option("file", arguments->file, "A sluice.yaml")
      ->required()
      ->type_name("FILE");
  check_command->add_flag("--json", arguments->json, "As one JSON object");
  check_command->footer("Examples:\n  sluice config check /etc/sluice.yaml\n");
  check_command->callback([=, &exit_status] { exit_status = check(*arguments); });

  CLI::App* show_command = config->add_subcommand(
      "show", "Every value in force and where it comes from; without a file, the defaults");
  show_command->add_option("file", arguments->file, "A sluice.yaml")->type_name("FILE");
  show_command->add_flag("--json", arguments->json, "As a JSON array");
  show_command->footer(
      "Examples:\n  sluice config show\n  sluice config show sluice.yaml --json\n");
  show_command->callback([=, &exit_status] { exit_status = show(*arguments); });

  CLI::App* reference_command =
      config->add_subcommand("reference", "Every option with unit, range, default and reason");
  reference_command->footer("Examples:\n  sluice config reference > docs/config.md\n");
  reference_command->callback([&exit_status] {
    std::cout << config_reference_markdown();
    exit_status = 0;
  });
  config->footer(
      "Examples:\n"
      "  sluice config check /etc/sluice.yaml\n"
      "  sluice config show sluice.yaml | grep window\n");
  return config;
}

}  // namespace sluice::cli
