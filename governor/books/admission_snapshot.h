#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// The admission snapshot: what a refusal needs, packed into one word that is published and read
/// atomically, without a lock. It answers most calls to a full governor.
struct AdmissionSnapshot {
  /// Why every job is refused, or `queue`: an earlier job may have to go first.
  enum class ClosedBy : std::uint8_t { open, sensor, paused, draining, queue };

  Points usage;                         ///< 24 bits
  Points size;                          ///< 24 bits
  ClosedBy closed_by = ClosedBy::open;  ///< 4 bits
  std::uint16_t name = 0;               ///< 12 bits: the red sensor.

  static constexpr std::uint16_t kMostNames = (1 << 12) - 1;
};

constexpr std::uint64_t pack(const AdmissionSnapshot& snapshot) {
  // Usage may exceed any window: jobs may be charged more while they run.
  return static_cast<std::uint64_t>(std::min(snapshot.usage, kMostPoints).value) |
         static_cast<std::uint64_t>(snapshot.size.value) << 24 |
         static_cast<std::uint64_t>(snapshot.closed_by) << 48 |
         static_cast<std::uint64_t>(snapshot.name) << 52;
}

constexpr AdmissionSnapshot unpack(std::uint64_t word) {
  constexpr std::uint64_t kPoints = (1 << 24) - 1;
  return {Points{static_cast<std::int64_t>(word & kPoints)},
          Points{static_cast<std::int64_t>(word >> 24 & kPoints)},
          static_cast<AdmissionSnapshot::ClosedBy>(word >> 48 & 0xf),
          static_cast<std::uint16_t>(word >> 52)};
}

}  // namespace sluice
