#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "governor/core_state.h"
#include "governor/law/window.h"
#include "governor/law/window_room.h"
#include "sluice/options.h"
#include "sluice/reading.h"
#include "sluice/refusal.h"

// Which sensors are red now, and which of these count; the operator's switch and the gate
// `starting`.

namespace sluice {

/// The number of jobs that may be in set-up at once: max(most - running, floor). Source: Zuul's
/// starting-builds sensor; `running` includes the starting ones, so a burst from idle ends near
/// most / 2.
std::int64_t starting_limit(const GovernorOptions& options, std::int64_t running);

/// The `starting` gate: red if starting >= limit.
Reading starting_reading(const GovernorOptions& options, std::int64_t starting,
                         std::int64_t running);

Room room(const CoreState& core);
/// Why nothing is admitted; nullopt if there is no reason.
std::optional<Refusal> why_closed(const CoreState& core);

/// A measurement of a sensor, and the time that it took.
struct TimedMeasurement {
  Measurement measurement;
  Duration took{0};
};
/// Measurements of the sensors, in their order. Returns the names of those that turned red or
/// green, failed or recovered.
std::vector<std::string_view> observe(CoreState& core, const std::vector<TimedMeasurement>& sweep,
                                      TimePoint now);
/// Judges the sensors again, as they count now.
void judge_all(CoreState& core, TimePoint now);

/// What the control law sees: the sensors that count now, the operator's switch as the gate
/// `pause`, and the gate `starting`.
std::vector<JudgedSensor> sensors_that_count(const CoreState& core);

}  // namespace sluice
