#pragma once

#include <cstdint>

namespace sluice {

/// How many descriptors this process may have open.
std::uint64_t descriptor_limit();

/// Raises that to the most that this process may set, for each connection and each watched process
/// takes one. The new limit.
std::uint64_t raise_descriptor_limit();

}  // namespace sluice
