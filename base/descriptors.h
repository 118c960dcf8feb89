#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice {

/// The number of descriptors this process may have open.
std::uint64_t descriptor_limit();

/// Raises that to the hard limit, because every connection and every watched process takes one.
/// Returns the new limit.
std::uint64_t raise_descriptor_limit();

/// Writes the bytes, in several calls if need be. Returns how many it wrote: fewer than there are
/// if the kernel refused the rest, with the reason in errno.
std::size_t write_all(int descriptor, std::string_view bytes);

}  // namespace sluice
