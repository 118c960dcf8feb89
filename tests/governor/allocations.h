#pragma once

#include <cstdint>

namespace sluice::fakes {

/// The number of allocations of this thread so far. Linking this replaces the global operator new.
std::uint64_t allocations();

}  // namespace sluice::fakes
