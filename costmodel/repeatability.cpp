#include "costmodel/repeatability.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "costmodel/variants.h"

namespace sluice {
namespace {

constexpr double kFirstDeviation = 0.02;
constexpr double kFirstWeight = 10;

/// A mebibyte more or less is much for a job that needs two, and says nothing about jobs that need
/// hundreds.
constexpr double kLeastTelling = 32 << 20;

/// Evidence from runs of a single job.
Repeatability::Evidence evidence_of_same(std::span<const PastRun> runs) {
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
  Repeatability::Evidence evidence{0, count - 1};
  for (const PastRun& run : runs) {
    if (!tells(run)) continue;
    const double distance = static_cast<double>(run.peak_memory.value) / mean - 1;
    evidence.squares += distance * distance;
  }
  return evidence;
}

}  // namespace

Repeatability::Evidence Repeatability::evidence_of(std::span<const PastRun> runs) {
  if (!variants_disagree(runs)) return evidence_of_same(runs);
  Evidence all;
  std::vector<PastRun> left(runs.begin(), runs.end());
  while (!left.empty()) {
    const auto others = std::partition(
        left.begin(), left.end(),
        [first = left.front().variant](const PastRun& run) { return run.variant == first; });
    const Evidence each = evidence_of_same({left.begin(), others});
    all.squares += each.squares;
    all.freedom += each.freedom;
    left.erase(left.begin(), others);
  }
  return all;
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
