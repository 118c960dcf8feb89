#pragma once

#include <vector>

namespace sluice {

/// Turns a forked process into a guard that only these descriptors reach: a session of its own,
/// /dev/null for its streams, every other inherited descriptor closed. Every signal must be blocked
/// already. Returns the new numbers of the descriptors, in the same order.
std::vector<int> become_guard(std::vector<int> kept);

}  // namespace sluice
