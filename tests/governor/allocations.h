#pragma once

#include <cstdint>

namespace sluice::fakes {

/// How often this thread has allocated so far; linking this replaces the global operator new.
std::uint64_t allocations();

}  // namespace sluice::fakes
