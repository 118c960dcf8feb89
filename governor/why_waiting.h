#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "governor/core_state.h"
#include "sluice/refusal.h"

// Why jobs wait, without starting any.

namespace sluice {

/// The decisions of a pass about each job now.
struct Verdicts {
  std::unordered_map<std::uint32_t, Refusal> by_slot;  ///< Of the jobs it considered.
  std::vector<std::optional<JobId>> blockers;          ///< By queue.
};
Verdicts verdicts(const CoreState& core, TimePoint now);
/// Why a pending job does not start; nullopt if the next pass starts it.
std::optional<Refusal> refusal_of(const CoreState& core, std::uint32_t slot,
                                  const Verdicts& verdicts);
/// Every reason that keeps a pending job from starting; the first is `said`, from `refusal_of`.
std::vector<Refusal> blockers_of(const CoreState& core, const PendingJob& job,
                                 const std::optional<Refusal>& said, TimePoint now);
/// Every reason to send no more work, of which `why_full` returns the first.
std::vector<Refusal> all_full(const CoreState& core);

}  // namespace sluice
