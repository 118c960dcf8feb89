#pragma once

#include <cstdint>

namespace sluice::testing {

// Linking this replaces the global operator new.

/// The number of allocations of this thread so far.
std::uint64_t allocations();

/// Makes this thread's n-th allocation from now on fail once; 0 for none. `operator new` then does
/// what the standard says: it calls the new handler, or throws std::bad_alloc.
void fail_allocation(std::uint64_t number);

/// Whether the allocation that was to fail has happened.
bool has_failed();

}  // namespace sluice::testing
