#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "governor/window.h"
#include "sluice/reading.h"
#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// What is remembered of one sensor between two readings.
struct Judgement {
  bool red = false;                  ///< The verdict on the last good reading, with hysteresis.
  bool up = false;                   ///< The last attempt worked.
  std::optional<Reading> reading;    ///< The last good one.
  TimePoint taken;                   ///< When that was.
  std::string failure;               ///< Why the last attempt failed; empty while up.
  std::uint64_t failures = 0;        ///< Attempts that failed.
  std::optional<TimePoint> attempt;  ///< When the last attempt was made.
};

/// Takes a measurement into account: red at pressure >= 1, green again only below `resume`. A
/// failure leaves the verdict and the last reading as they are, and a reading without a usable
/// pressure is a failure. The same attempt seen twice, as
/// sensors with a worker of their own hand it out, is counted once.
Judgement judge(const SensorPolicy& policy, Judgement before, const Measurement& measurement);

/// Up, and not older than `max_age`.
bool is_fresh(const SensorPolicy& policy, const Judgement& judgement, TimePoint now);

/// What the sensor counts as now, with `on_error` applied where it is not fresh; none where the
/// policy is to go on without it.
std::optional<JudgedSensor> counts_as(std::string_view name, const SensorPolicy& policy,
                                      const Judgement& judgement, TimePoint now);

}  // namespace sluice
