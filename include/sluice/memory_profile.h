#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "sluice/units.h"

namespace sluice {

/// A phase of a job, and the memory that it is expected to hold in it, by n earlier runs of its
/// key, which held x1 … xn at some time in the phase; a run that had ended counts as 0.
struct MemoryPhase {
  /// Its end, of a run that never waits for a CPU, see `unimpeded`.
  Duration until{0};
  double mean = 0;    ///< Σ x / n, bytes; the largest in the phase.
  double square = 0;  ///< Σ x² / n, bytes squared; the largest in the phase.
  double alive = 0;   ///< Part of the runs that had not ended at its end, 0 to 1.

  bool operator==(const MemoryPhase&) const = default;
};

/// How the memory of the runs of a key grows. A plain value.
struct MemoryProfile {
  static constexpr std::size_t kMostPhases = 12;

  std::array<MemoryPhase, kMostPhases> phases{};  ///< In order; the first `count` are valid.
  std::size_t count = 0;                          ///< 0: unknown.
  std::size_t runs = 0;                           ///< n

  std::span<const MemoryPhase> valid() const {
    return {phases.data(), std::min(count, kMostPhases)};
  }
  bool operator==(const MemoryProfile&) const = default;
};

}  // namespace sluice
