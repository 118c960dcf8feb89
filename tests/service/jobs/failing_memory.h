#pragma once

#include <cstdint>

namespace sluice::testing {

/// This thread's n-th allocation from now on finds no memory, once; 0: none does. What `operator
/// new` does then is what the standard says: it asks the new handler, or throws std::bad_alloc.
/// Linking this replaces the global operator new.
void fail_allocation(std::uint64_t number);

/// Whether the allocation that was to fail has come.
bool has_failed();

}  // namespace sluice::testing
