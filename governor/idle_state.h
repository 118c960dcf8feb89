#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "governor/core_events.h"
#include "governor/core_state.h"
#include "governor/inputs/job_fields.h"
#include "governor/inputs/option_fields.h"
#include "governor/inputs/reading_fields.h"
#include "governor/inputs/state_fields.h"
#include "governor/law/lasting_state.h"
#include "governor/memory/reservation_level.h"
#include "sluice/options.h"

// While no job runs or waits, all that a core's decisions depend on is a small value. A record that
// holds it can be replayed from there. The core itself goes on from this value, too, so that
// nothing can be missing in it: see docs/decisions/0084.

namespace sluice {

/// What lasts of a queue that has no jobs.
struct IdleQueue {
  std::string name;
  bool paused = false;
  std::uint64_t ended = 0;  ///< See `JobQueue`.
};

/// A core that has no jobs. Not part of it: the cost model, which learns elsewhere.
struct IdleState {
  GovernorOptions options;
  std::vector<KnownSensor> sensors;
  LastingState lasting;
  std::vector<IdleQueue> queues;           ///< The configured ones.
  std::vector<std::string> names;          ///< All that were interned.
  std::vector<std::uint64_t> failed_jobs;  ///< Those remembered; sorted.
  std::vector<ReservationLevel> memory;
};

/// Whether no job runs, waits or is expected, and every wait that ended was reported.
bool is_idle(const CoreState& core);

/// Replaces a core that is idle by one made from its state, which it returns. Names in refusals
/// stay valid.
IdleState start_over(CoreState& core, TimePoint now);

/// A core made from such a state; `now`: the time of `start_over`.
CoreState core_in(const IdleState& idle, CostModel model, TimePoint now);

// For the record, see inputs/.

void fields(FieldsOf<IdleQueue> auto& self, auto&& visit) {
  auto& [name, paused, ended] = self;
  visit(name, paused, ended);
}
void fields(FieldsOf<ReservationLevel> auto& self, auto&& visit) {
  auto& [seen, unmeasured_use] = self;
  visit(seen, unmeasured_use);
}
void fields(FieldsOf<IdleState> auto& self, auto&& visit) {
  auto& [options, sensors, lasting, queues, names, failed_jobs, memory] = self;
  visit(options, sensors, lasting, queues, names, failed_jobs, memory);
}

}  // namespace sluice
