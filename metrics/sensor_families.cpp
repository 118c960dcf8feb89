#include "metrics/sensor_families.h"

#include <map>
#include <string>

#include "base/seconds.h"

namespace sluice {
namespace {

// The compared value, its limit and the whole it is a part of have one metric each, so a sum over
// any of them is meaningful. Each unit has its own names, so a panel can overlay reading and limit.
struct UnitFamilies {
  Family& reading;
  Family& limit;
  Family& capacity;

  UnitFamilies(Families& families, const std::string& suffix, const std::string& unit)
      : reading(families.gauges("sluice_sensor_reading" + suffix,
                                "Reading of the sensor, " + unit + ".")),
        limit(families.gauges(
            "sluice_sensor_limit" + suffix,
            "The reading at which the sensor turns red, " + unit + "; absent if unlimited.")),
        capacity(families.gauges("sluice_sensor_capacity" + suffix,
                                 "Total that the reading is a share of, " + unit + ".")) {}

  void add(std::string_view sensor, const Condition& condition) {
    const Labels labels{{"sensor", sensor}, {"condition", condition.name}};
    reading.add(labels, condition.value);
    if (condition.limit) limit.add(labels, *condition.limit);
    if (condition.total) capacity.add(labels, *condition.total);
  }
};

// Omits readings that are no longer fresh: a flat line would look like a measurement.
void append_readings(Families& families, const std::vector<SensorStatus>& sensors) {
  Family& pressure =
      families.gauges("sluice_sensor_pressure_ratio",
                      "0 idle, 1 at the limit, above 1 over it; of the worst condition.");
  std::map<Unit, UnitFamilies> units;
  units.try_emplace(Unit::ratio, families, "_ratio", "as a ratio");
  units.try_emplace(Unit::bytes, families, "_bytes", "in bytes");
  units.try_emplace(Unit::tasks, families, "_tasks", "in tasks");
  units.try_emplace(Unit::count, families, "", "as a plain number");
  for (const SensorStatus& sensor : sensors) {
    if (!sensor.fresh || !sensor.reading) continue;
    pressure.add({{"sensor", sensor.name}}, sensor.reading->pressure());
    for (const Condition& condition : sensor.reading->conditions) {
      units.at(condition.unit).add(sensor.name, condition);
    }
  }
}

void append_verdicts(Families& families, const std::vector<SensorStatus>& sensors) {
  Family& ok =
      families.gauges("sluice_sensor_ok", "1 while the sensor lets jobs in, 0 while it is red.");
  Family& up = families.gauges("sluice_sensor_up",
                               "1 if the last attempt to read the sensor succeeded, else 0.");
  Family& fresh =
      families.gauges("sluice_sensor_fresh",
                      "1 while the reading is recent enough to let the window grow, else 0.");
  Family& ignored = families.gauges("sluice_sensor_ignored",
                                    "1 while the sensor cannot be read and its policy ignores it.");
  Family& policy =
      families.gauges("sluice_sensor_policy_info",
                      "Effect of a red sensor, and its verdict while it cannot be read.");
  for (const SensorStatus& sensor : sensors) {
    const Labels labels{{"sensor", sensor.name}};
    ok.add(labels, !sensor.red);
    up.add(labels, sensor.up);
    fresh.add(labels, sensor.fresh);
    ignored.add(labels, sensor.ignored);
    policy.add({{"sensor", sensor.name},
                {"acts", to_string(sensor.policy.acts)},
                {"on_error", to_string(sensor.policy.on_error)}},
               1);
  }
}

void append_reads(Families& families, const Status& status, double now_unix) {
  Family& errors =
      families.counters("sluice_sensor_read_errors_total", "Failed attempts to read the sensor.");
  Family& last = families.gauges("sluice_sensor_last_read_timestamp_seconds",
                                 "Unix time of the last reading; absent until there is one.");
  Family& took =
      families.gauges("sluice_sensor_read_duration_seconds",
                      "Time the last attempt to read the sensor took on the window thread.");
  Family& source = families.gauges(
      "sluice_sensor_source_info",
      "Source of the sensor, where it has a choice, or none while it cannot be read; always 1.");
  for (const SensorStatus& sensor : status.sensors) {
    const Labels labels{{"sensor", sensor.name}};
    errors.add(labels, sensor.failures);
    took.add(labels, to_seconds(sensor.read_duration));
    if (!sensor.up) source.add({{"sensor", sensor.name}, {"source", "none"}}, 1);
    if (!sensor.reading) continue;
    last.add(labels, now_unix - to_seconds(status.now - sensor.taken));
    if (!sensor.up || sensor.reading->source.empty()) continue;
    source.add({{"sensor", sensor.name}, {"source", sensor.reading->source}}, 1);
  }
}

}  // namespace

void append_sensors(Families& families, const Status& status, double now_unix) {
  append_verdicts(families, status.sensors);
  append_readings(families, status.sensors);
  append_reads(families, status, now_unix);
}

}  // namespace sluice
