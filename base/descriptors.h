#pragma once

#include <cstdint>

namespace sluice {

/// The number of descriptors this process may have open.
std::uint64_t descriptor_limit();

/// Raises that to the hard limit, because every connection and every watched process takes one.
/// Returns the new limit.
std::uint64_t raise_descriptor_limit();

}  // namespace sluice
