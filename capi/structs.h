#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace sluice::capi {

/// No struct of any version is larger, so a size above this was never set.
inline constexpr std::size_t kLargestStruct = 4096;

/// The fields of `given` that this library knows; those that the program does not know are as in
/// `defaults`. Throws std::invalid_argument, with the struct's `name`, if the size was not set, or
/// if the program sets a field that only a later library knows.
template <typename Struct>
Struct known_fields(const Struct& given, Struct defaults, const char* name) {
  const std::size_t size = given.size;
  if (size <= sizeof size || size > kLargestStruct) {
    throw std::invalid_argument(std::string(name) + ".size: must be sizeof(" + name + ")");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (std::size_t at = sizeof(Struct); at < size; ++at) {
    if (bytes[at] == 0) continue;
    throw std::invalid_argument(std::string(name) +
                                ": sets a field that this version of the library lacks");
  }
  std::memcpy(&defaults, &given, std::min(size, sizeof(Struct)));
  return defaults;
}

}  // namespace sluice::capi
