#pragma once

#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/refusal.h"

// Whether a pending job may be considered at all, and in which order.

namespace sluice {

/// Why a job may not start, whatever is free: its queue is paused, it is frozen, or a dependency, a
/// rule, a limit or a lock keeps it back. `ineligible` returns the first reason, `all_ineligible`
/// all of them, in this order.
std::optional<Refusal> ineligible(const CoreState& core, const PendingJob& job);
std::vector<Refusal> all_ineligible(const CoreState& core, const PendingJob& job);
/// Why an eligible child may not use the window in addition to its ancestors' permits.
std::optional<Refusal> kept_from_window(const CoreState& core, const PendingJob& job);
/// Whether the jobs of a strand may start, by everything they have in common; `context` is a
/// `CoreState`.
bool may_start(const void* context, const Strand& strand);

/// A pending job that may start. No job of the same or a lower priority may overtake it.
struct Front {
  JobId id;
  int priority = 0;
  Points cost;
};
/// The first in line: the highest priority, then the order of the queues.
std::optional<Front> front(const CoreState& core, TimePoint now);

double weight_of(const CoreState& core, const PendingJob& job, TimePoint now);
/// The running jobs that this one would certainly block on, in order of admission.
std::vector<JobId> conflicts_of(const CoreState& core, const LockProfile& locks);

}  // namespace sluice
