#include "governor/law/sensor_state.h"

#include <cmath>

namespace sluice {
namespace {

/// The error in a reading, which a user's sensor may have made up; null if there is none. A NaN
/// pressure would compare as green with every limit.
const char* flaw(const Reading& reading) {
  if (reading.conditions.empty()) return nullptr;
  if (reading.worst >= reading.conditions.size()) return "the reading names no worst condition";
  const double pressure = reading.pressure();
  if (std::isnan(pressure) || pressure < 0) return "the reading's pressure is not a number from 0";
  return nullptr;
}

const char* failure_of(const Measurement& measurement) {
  const auto* failure = std::get_if<ReadFailure>(&measurement.result);
  return failure ? failure->what.c_str() : flaw(std::get<Reading>(measurement.result));
}

}  // namespace

SensorState judge(const SensorPolicy& policy, SensorState before, const Measurement& measurement) {
  const bool seen_before = before.attempt == measurement.taken;
  before.attempt = measurement.taken;
  if (const char* failure = failure_of(measurement)) {
    if (!seen_before || before.up) ++before.failures;
    before.up = false;
    before.failure = failure;
    return before;
  }
  const auto& reading = std::get<Reading>(measurement.result);
  before.up = true;
  before.failure.clear();
  before.red = reading.pressure() >= (before.red ? policy.resume : 1.0);
  before.taken = measurement.taken;
  before.reading = reading;
  return before;
}

bool is_fresh(const SensorPolicy& policy, const SensorState& sensor_state, TimePoint now) {
  return sensor_state.up && now - sensor_state.taken <= policy.max_age;
}

std::optional<JudgedSensor> effective_state(std::string_view name, const SensorPolicy& policy,
                                            const SensorState& sensor_state, TimePoint now) {
  const double pressure = sensor_state.reading ? sensor_state.reading->pressure() : 0;
  if (is_fresh(policy, sensor_state, now)) {
    return JudgedSensor{name, policy.acts, sensor_state.red, true, pressure};
  }
  switch (policy.on_error) {
    case OnError::hold:
      return JudgedSensor{name, policy.acts, sensor_state.red, false, pressure};
    case OnError::red:
      // A smaller window cures nothing here: nothing was measured.
      return JudgedSensor{name, Acts::gate, true, false, 1};
    case OnError::green:
      return JudgedSensor{name, policy.acts, false, true, 0};
    case OnError::ignore:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace sluice
