#pragma once

#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// What a refusal needs to know, packed into one word so that it can be published and read as a
/// whole without a lock: most calls of a full governor are answered from here.
struct Door {
  /// Why everybody is refused, or that an earlier job may have to be let through first.
  enum class Sign : std::uint8_t { open, sensor, paused, draining, queue };

  Points usage;            ///< 24 bits
  Points size;             ///< 24 bits
  Sign sign = Sign::open;  ///< 4 bits
  std::uint16_t name = 0;  ///< 12 bits: which sensor is red.

  static constexpr std::uint16_t kMostNames = (1 << 12) - 1;
};

constexpr std::uint64_t pack(const Door& door) {
  return static_cast<std::uint64_t>(door.usage.value) |
         static_cast<std::uint64_t>(door.size.value) << 24 |
         static_cast<std::uint64_t>(door.sign) << 48 | static_cast<std::uint64_t>(door.name) << 52;
}

constexpr Door unpack(std::uint64_t word) {
  constexpr std::uint64_t kPoints = (1 << 24) - 1;
  return {Points{static_cast<std::int64_t>(word & kPoints)},
          Points{static_cast<std::int64_t>(word >> 24 & kPoints)},
          static_cast<Door::Sign>(word >> 48 & 0xf), static_cast<std::uint16_t>(word >> 52)};
}

}  // namespace sluice
