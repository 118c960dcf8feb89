#include "costmodel/repeatability.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr double kFirstDeviation = 0.02;
constexpr double kFirstWeight = 10;

/// A mebibyte more or less is much of a job that needs two, and says nothing about those that need
/// hundreds.
constexpr double kLeastTelling = 32 << 20;

}  // namespace

Repeatability::Evidence Repeatability::evidence_of(std::span<const PastRun> runs) {
  double sum = 0;
  double count = 0;
  const auto tells = [](const PastRun& run) {
    return run.outcome == Outcome::ok && run.peak_memory.value > 0;
  };
  for (const PastRun& run : runs) {
    if (!tells(run)) continue;
    sum += static_cast<double>(run.peak_memory.value);
    ++count;
  }
  if (count < 2) return {};
  const double mean = sum / count;
  if (mean < kLeastTelling) return {};
  Evidence evidence{0, count - 1};
  for (const PastRun& run : runs) {
    if (!tells(run)) continue;
    const double distance = static_cast<double>(run.peak_memory.value) / mean - 1;
    evidence.squares += distance * distance;
  }
  return evidence;
}

void Repeatability::add(const Evidence& evidence) {
  seen_.squares += evidence.squares;
  seen_.freedom += evidence.freedom;
}

void Repeatability::remove(const Evidence& evidence) {
  seen_.squares = std::max(0.0, seen_.squares - evidence.squares);
  seen_.freedom = std::max(0.0, seen_.freedom - evidence.freedom);
}

double Repeatability::deviation_after(std::size_t runs) const {
  const double variance = (kFirstWeight * kFirstDeviation * kFirstDeviation + seen_.squares) /
                          (kFirstWeight + seen_.freedom);
  return std::sqrt(variance * (1 + 1 / static_cast<double>(std::max<std::size_t>(runs, 1))));
}

}  // namespace sluice
