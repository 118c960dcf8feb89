#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "governor/core_state.h"
#include "sluice/prediction.h"

// Jobs that work on the permit of the job that started them and waits for them.

namespace sluice {

/// The points with which it may start on its ancestors' permits: its whole cost or, if it is the
/// only child, at most what they have left. nullopt: it waits for the other children, or for the
/// window.
std::optional<Points> room_on_permit(const CoreState& core, const PendingJob& job,
                                     const Prediction& expected);
/// Its needs beyond the unused part of its ancestors' bookings; `loans` receives the part it
/// borrows.
std::vector<ResourceNeed> needs_beyond_parents(const CoreState& core, const PendingJob& job,
                                               std::vector<ResourceNeed> needs,
                                               std::vector<Loan>* loans = nullptr);
bool is_short_of_managers(const CoreState& core, const PendingJob& job);
/// Takes from the needs of the job in `slot` what its ancestors lend it.
void borrow(CoreState& core, std::uint32_t slot);

/// Starts children on their ancestors' permits, regardless of the window and the switches.
void start_children(CoreState& core, TimePoint now, std::vector<Admitted>& admitted);
void enlist_child(CoreState& core, const PendingJob& job);
void delist_child(CoreState& core, const PendingJob& job);
/// The job in `slot` ends: jobs that wait for its permit now wait for its parent's.
void pass_on_children(CoreState& core, std::uint32_t slot);

}  // namespace sluice
