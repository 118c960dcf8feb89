#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/refusal.h"

// Pending jobs, and everything that lists them.

namespace sluice {

/// Adds a job that has its numbers and times; returns its slot.
std::uint32_t add_pending(CoreState& core, PendingJob job);
PendingJob remove_pending(CoreState& core, std::uint32_t slot);
/// Updates whether a pending job is parked, and why, from its current state.
void update_parked(CoreState& core, std::uint32_t slot);

/// Records the jobs that this one comes after. Refuses if it would wait for itself or for a job
/// that already failed.
std::optional<Refusal> await(CoreState& core, const PendingJob& job,
                             const std::vector<JobId>& after);
/// A job is over: jobs that wait for it may start, or are over as well.
void resolve_dependents(CoreState& core, JobId id, JobEnd end);

/// At most one job per highlander and key may wait. Returns the other job that already waits, if
/// there is one.
std::optional<JobId> waiting_highlander(const CoreState& core, const PendingJob& job);
void delist_highlander(CoreState& core, const PendingJob& job);

/// Under `hold`, reserves the locks of jobs whose age is saturated by now.
void reserve_locks_of_saturated(CoreState& core, TimePoint now);
void reserve_locks(CoreState& core, std::uint32_t slot);
void unreserve_locks(CoreState& core, std::uint32_t slot);
/// A running job takes or leaves its locks.
void add_running_locks(CoreState& core, const LockProfile& locks);
void remove_running_locks(CoreState& core, const LockProfile& locks);

}  // namespace sluice
