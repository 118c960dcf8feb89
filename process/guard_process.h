#pragma once

#include <vector>

namespace sluice {

/// Makes a forked process one that nothing but these descriptors reaches: a session of its own,
/// /dev/null for its streams, no other descriptor of the process it was forked from. Every signal
/// must be blocked already. The numbers that they have from here on, in the same order.
std::vector<int> become_guard(std::vector<int> kept);

}  // namespace sluice
