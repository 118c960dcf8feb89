#include "service/daemon/log.h"

#include <string>

namespace sluice {
namespace {

void log_sensor(const Log& log, const SensorStatus& sensor) {
  const std::string name = "sensor " + sensor.name;
  if (!sensor.up) {
    log(LogLevel::warning, name + " failed: " + sensor.failure + "; counts as " +
                               (sensor.ignored ? "ignored"
                                : sensor.red   ? "red"
                                               : "green"));
    return;
  }
  const std::string sentence = sensor.reading ? ": " + sensor.reading->sentence : "";
  log(sensor.red ? LogLevel::warning : LogLevel::info,
      name + (sensor.red ? " is red" : " is green") + sentence);
}

}  // namespace

GovernorEvents log_events(const Log& log) {
  GovernorEvents events;
  events.on_window = [log](const WindowChange& change) {
    log(LogLevel::info, "window " + to_sentence(change));
  };
  events.on_sensor = [log](const SensorStatus& sensor) { log_sensor(log, sensor); };
  return events;
}

}  // namespace sluice
