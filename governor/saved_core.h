#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "governor/core_state.h"
#include "governor/saved_fields.h"

// All that a core's decisions depend on, as a value. A record that holds it can be replayed from
// there. The core itself goes on from this value, too, so that nothing can be missing in it: see
// docs/decisions/0084.

namespace sluice {

/// A job that waits or runs.
struct SavedJob {
  JobId id;
  JobRequest request;
  Points cost;
  std::uint32_t queue = 0;
  TimePoint arrived;
  JobOrder order;
  bool is_frozen = false;
  bool is_on_permit = false;  ///< It waits for its parent's permit, see nesting.h.
};

struct SavedRunningJob {
  std::uint32_t slot = 0;
  std::optional<std::uint32_t> permit;  ///< The slot of the job on whose permit it works.
  SavedJob job;
  RunningState state;
};

/// A core. Not part of it: the cost model, which learns elsewhere.
struct SavedCore {
  GovernorOptions options;
  std::vector<KnownSensor> sensors;
  LastingState lasting;
  std::vector<std::string> names;  ///< All that were interned.
  std::vector<SavedQueue> queues;
  std::vector<SavedManager> managers;
  std::vector<ReservationLevel> memory;
  ReservationSums reserved;
  std::vector<std::uint64_t> failed_jobs;  ///< Those remembered; sorted.
  std::vector<JobId> expected_jobs;
  std::map<std::uint64_t, Awaiting> awaiting;
  std::uint64_t saturated_up_to = 0;
  std::vector<SavedRunningJob> running;
  std::vector<std::uint32_t> free_slots;
  std::vector<SavedJob> pending;  ///< In order of arrival.
};

/// Some three milliseconds. With many more jobs, a record might have no room for it.
inline constexpr std::size_t kMostSavedJobs = 4096;

/// Whether it has few enough jobs, and every wait that ended by itself was reported.
bool may_start_over(const CoreState& core);

SavedCore state_of(const CoreState& core);
/// Replaces a core that may start over by one made from its state, `saved`, which it returns. Slots
/// of running jobs and names in refusals stay valid.
SavedCore start_over(CoreState& core, SavedCore saved, TimePoint now);

/// Whether its numbers of queues, slots and managers refer to what it has. Bytes that no core has
/// written are for checksums to find.
bool is_consistent(const SavedCore& saved);
/// A core made from such a state, which must be consistent; `now`: the time of `start_over`.
CoreState core_in(const SavedCore& saved, CostModel model, TimePoint now);

// For the record, see saved_fields.h.

FieldCount<8> field_count(const SavedJob*);
FieldCount<4> field_count(const SavedRunningJob*);
FieldCount<15> field_count(const SavedCore*);

}  // namespace sluice
