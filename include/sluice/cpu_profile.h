#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "sluice/units.h"

namespace sluice {

/// A part of a run in which the need for CPUs stays about the same.
struct CpuPhase {
  /// Its end, after the start of the run. Of a run that never waits for a CPU, see `unimpeded`.
  Duration until{0};
  /// Mean; >= 0, may exceed the CPUs of this machine.
  double cores = 0;

  bool operator==(const CpuPhase&) const = default;
};

/// How a run uses the CPUs over time: a few phases, the first from its start. A plain value.
struct CpuProfile {
  static constexpr std::size_t kMostPhases = 6;

  std::array<CpuPhase, kMostPhases> phases{};  ///< In order; the first `count` are valid.
  std::size_t count = 0;                       ///< 0: unknown.

  std::span<const CpuPhase> valid() const { return {phases.data(), std::min(count, kMostPhases)}; }
  bool operator==(const CpuProfile&) const = default;
};

/// How long a run that took `span`, used `cpu` and waited `delay` for CPUs would have taken without
/// having to wait: `delay` is summed over the n threads that are busy on average, so that
///
///   unimpeded = span - delay / max(1, (cpu + delay) / span)
///
/// Between 0 and `span`. By this measure a phase is as long on a full machine as on an idle one.
inline Duration unimpeded(Duration span, Duration cpu, Duration delay) {
  if (span.count() <= 0) return Duration{0};
  const auto whole = static_cast<double>(span.count());
  const double threads = std::max(1.0, static_cast<double>((cpu + delay).count()) / whole);
  const double left = whole - static_cast<double>(delay.count()) / threads;
  return Duration(std::llround(std::clamp(left, 0.0, whole)));
}

}  // namespace sluice
