#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "governor/law/window.h"
#include "sluice/reading.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// The state of one sensor between two readings.
struct SensorState {
  bool red = false;                  ///< Verdict on the last successful read, with hysteresis.
  bool up = false;                   ///< The last read succeeded.
  std::optional<Reading> reading;    ///< The last successful one.
  TimePoint taken;                   ///< Time of `reading`.
  std::string failure;               ///< Why the last read failed; empty while up.
  std::uint64_t failures = 0;        ///< Failed reads.
  std::optional<TimePoint> attempt;  ///< Time of the last read.
};

/// Applies a measurement: red at pressure >= 1, green again only below `resume`. A failure leaves
/// the verdict and the last reading unchanged; a reading without a usable pressure is a failure. An
/// attempt seen twice, as sensors with their own worker return it, counts once.
SensorState judge(const SensorPolicy& policy, SensorState before, const Measurement& measurement);

/// Up, and not older than `max_age`.
bool is_fresh(const SensorPolicy& policy, const SensorState& sensor_state, TimePoint now);

/// The sensor as it counts now, with `on_error` applied if it is not fresh; nullopt if the policy
/// is to ignore it.
std::optional<JudgedSensor> effective_state(std::string_view name, const SensorPolicy& policy,
                                            const SensorState& sensor_state, TimePoint now);

}  // namespace sluice
