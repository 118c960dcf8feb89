#include "governor/short_of_capacity.h"

#include <chrono>

#include "governor/cpu_use.h"
#include "governor/eligibility.h"
#include "governor/law/knee.h"
#include "governor/red_sensors.h"

namespace sluice {
namespace {

constexpr Duration kShortageHeld = std::chrono::seconds(10);

}  // namespace

bool is_below_half(const CoreState& core, TimePoint now) {
  return cpus_are_measured(core, now) && demand_of_all(core, now) < core.use->cpus / 2;
}

void record_capacity(CoreState& core, TimePoint now) {
  const bool is_measured = cpus_are_measured(core, now);
  const bool no_cpu = is_measured && is_at_knee(*core.use);
  core.at_knee = no_cpu && demand_of_all(core, now) >= core.use->cpus / 2;
  if (core.operated != Switch::running || !front(core, now)) return;
  const bool cannot_grow = core.window.size >= core.options.window.maximum ||
                           (is_measured && is_full_of_io(core.window.knee, *core.use));
  const bool no_room = core.refused_for_memory || (core.refused_for_size && cannot_grow);
  if (no_cpu || no_room || why_closed(core)) core.short_at = now;
}

bool is_short_of_capacity(const CoreState& core, TimePoint now) {
  return core.short_at && now - *core.short_at < kShortageHeld;
}

}  // namespace sluice
