#include <algorithm>

#include "config/name_check.h"
#include "config/schema_sections.h"
#include "config/schema_sensors.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

SchemaOption sensor_kind(const std::string& kind, const std::string& doc) {
  return kind_option({"sensors.NAME.kind", "", doc, kind}, "`file`, `command`");
}

/// Adds the options of every sensor; the default of `max_age` depends on `every`.
template <typename Sensor>
void append_common(std::vector<SchemaOption>& options, Sensor sensor) {
  for (SchemaOption& option : common_sensor_options("sensors.NAME", {}, {sensor, sensor})) {
    if (option.text.path == "sensors.NAME.max_age") {
      option.settle = [sensor](const Config& config, const std::string& name) {
        const Duration fitting = 3 * sensor(config, name).every;
        const Duration max_age = std::max<Duration>(fitting, std::chrono::seconds(10));
        return SettledDefault{print_duration(max_age), "default"};
      };
    }
    options.push_back(std::move(option));
  }
}

SchemaSection file_section() {
  const auto sensor = [](auto& config, const std::string& name) -> auto& {
    return config.governing.sensors.files.at(name);
  };
  const auto option = options_of("sensors.NAME", sensor);
  SchemaSection section{"sensors.NAME",
                        "file",
                        "A sensor of your own: a number in a file. NAME is of a-z, 0-9 and _.",
                        {}};
  section.members = {
      [](const Config& config) { return names_in(config.governing.sensors.files); },
      [](Config& config, const std::string& name) { config.governing.sensors.files[name]; }};
  section.options = {sensor_kind("file", "Makes NAME a sensor that reads a file."),
                     required(option("path", "", "/run/licences", path_type(kLongestPath),
                                     &FileSensorOptions::path,
                                     "The file; it holds one number. Required: only you know it.")),
                     required(option("limit", "", "40", amount_type(), &FileSensorOptions::limit,
                                     "Red at this number or above. Required: only you know it.")),
                     option("every", "5s", "1s", duration_type({milliseconds(10), hours(24)}),
                            &FileSensorOptions::every,
                            "Time between two readings. Such files are usually written by a "
                            "program that runs from time to time.")};
  append_common(section.options, sensor);
  return section;
}

SchemaSection command_section() {
  const auto sensor = [](auto& config, const std::string& name) -> auto& {
    return config.governing.sensors.commands.at(name);
  };
  const auto option = options_of("sensors.NAME", sensor);
  SchemaSection section{
      "sensors.NAME", "command", "A sensor of your own: a command. NAME is of a-z, 0-9 and _.", {}};
  section.members = {
      [](const Config& config) { return names_in(config.governing.sensors.commands); },
      [](Config& config, const std::string& name) { config.governing.sensors.commands[name]; }};
  section.options = {
      sensor_kind("command", "Makes NAME a sensor that runs a command."),
      required(option("command", "", "[/usr/bin/test, -e, /run/ready]", command_type(),
                      &CommandSensorOptions::command,
                      "The program and its arguments; no shell. Required: only you know it.")),
      nullable(
          option("limit", "null", "40", amount_type(), &CommandSensorOptions::limit,
                 "Red when the command prints this number or above. `null`: the exit status "
                 "decides, as with most checks: 0 is green, 1 is red, anything else is an error.")),
      option("every", "10s", "30s", duration_type({milliseconds(100), hours(24)}),
             &CommandSensorOptions::every,
             "Time between two runs. Starting a process costs a thousand times what reading a file "
             "does."),
      option("timeout", "5s", "1s", duration_type({milliseconds(10), hours(1)}),
             &CommandSensorOptions::timeout,
             "A run that takes longer is killed and counts as an error. Half of `every`: a later "
             "answer is useless.")};
  append_common(section.options, sensor);
  return section;
}

}  // namespace

std::vector<SchemaSection> own_sensor_sections() { return {file_section(), command_section()}; }

}  // namespace sluice
