#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "config/schema.h"

namespace sluice {

/// Defaults of the common options that differ between sensors.
struct CommonSensorDefaults {
  std::string presence = "automatic";
  std::string acts = "gate";
  std::string max_age = "10s";
};

template <typename Field>
SchemaOption presence_option(const std::string& sensor, const std::string& fallback, Field field) {
  SchemaOption option =
      make_option({sensor + ".presence", fallback,
                   "Whether the sensor is present; `NAME: off` and `NAME: on` are short for it. "
                   "`automatic`, the default: where it makes sense on this host.",
                   "on"},
                  presence_type(), field);
  option.common = true;
  return option;
}

/// The presence, resume, on_error, max_age and acts options of the sensor at path `sensor`, whose
/// settings are at `settings(config, name)`.
template <typename Settings>
std::vector<SchemaOption> common_sensor_options(const std::string& sensor,
                                                const CommonSensorDefaults& defaults,
                                                Settings settings) {
  const auto part = members_of(settings);
  std::vector<SchemaOption> options;
  options.push_back(presence_option(sensor, defaults.presence, part(&SensorSettings::presence)));
  options.push_back(make_option(
      {sensor + ".resume", "90%",
       "Green again only below this part of the limit; 100% disables this. A tenth keeps a "
       "sensor at its limit from flapping.",
       "80%"},
      ratio_type({0, 1, Bound::excluded}), part(&SensorSettings::resume)));
  options.push_back(make_option(
      {sensor + ".on_error", "hold",
       "The verdict while the sensor cannot be read: `hold` keeps the last one, without growth; "
       "`red`; `green`; or `ignore`, as if it were absent. A lost sensor should neither stop a "
       "host nor let it grow.",
       "red"},
      word_type<OnError>({{"hold", OnError::hold},
                          {"red", OnError::red},
                          {"green", OnError::green},
                          {"ignore", OnError::ignore}}),
      part(&SensorSettings::on_error)));
  options.push_back(
      make_option({sensor + ".max_age", defaults.max_age,
                   "A reading older than this counts as an error. Ten checks at the default "
                   "interval: enough to miss a few on a busy host, and soon enough to notice. A "
                   "sensor that is read less often gets three times its period: 15s for `disk`, 3 "
                   "x `every` for a sensor of your own, where it must not be less than `every`.",
                   "30s"},
                  duration_type({std::chrono::milliseconds(10), std::chrono::hours(24 * 3)}),
                  part(&SensorSettings::max_age)));
  options.push_back(
      make_option({sensor + ".acts", defaults.acts,
                   "The effect of red. `congestion`: stops admission and cuts the window; for "
                   "resources that the jobs themselves use up. `gate`: stops admission and freezes "
                   "the window; for shortages that less work does not cure at once.",
                   "gate"},
                  word_type<Acts>({{"congestion", Acts::congestion}, {"gate", Acts::gate}}),
                  part(&SensorSettings::acts)));
  for (SchemaOption& option : options) option.common = true;
  return options;
}

/// The options of the sensors that Sluice has.
std::vector<SchemaSection> sensor_sections();

}  // namespace sluice
