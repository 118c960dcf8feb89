#pragma once

#include <cstdint>
#include <vector>

#include "governor/core_state.h"
#include "sluice/units.h"

namespace sluice {

/// The order in which a tour visits the queues that have pending jobs: by the waiting time of their
/// first job, longest first, whether that job may start or not. A queue and its branches stand
/// together, by the longest wait among them, and among themselves by the priority of their first
/// job and then by how few jobs of theirs run: a branch with ten thousand jobs does not keep back
/// one with three.
std::vector<std::uint32_t> tour_order(const CoreState& core, TimePoint now);

}  // namespace sluice
