#include "costmodel/variants.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

namespace sluice {
namespace {

constexpr double kLeastDeviation = 0.1;  ///< Between different variants, as a part of the mean.
constexpr double kTimesMore = 2;         ///< Than between runs of one variant.
constexpr double kLeastMean = 32 << 20;

/// How far values are from their mean.
struct Spread {
  double count = 0, sum = 0, squares = 0;

  void add(double value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  double mean() const { return sum / count; }
  /// Sum of squared distances; rounding may make it slightly negative.
  double distances() const { return std::max(0.0, squares - sum * sum / count); }
};

bool tells(const PastRun& run) { return run.outcome == Outcome::ok || run.outcome == Outcome::oom; }

}  // namespace

bool variants_disagree(std::span<const PastRun> runs) {
  Spread all;
  std::map<std::uint64_t, Spread> each;
  for (const PastRun& run : runs) {
    if (!tells(run)) continue;
    all.add(static_cast<double>(run.peak_memory.value));
    each[run.variant].add(static_cast<double>(run.peak_memory.value));
  }
  if (each.size() < 2 || all.mean() < kLeastMean) return false;
  double within = 0;
  for (const auto& [variant, spread] : each) within += spread.distances();
  const double repeated = all.count - static_cast<double>(each.size());
  const double alike = repeated > 0 ? std::sqrt(within / repeated) : 0;
  const double different = std::sqrt(all.distances() / (all.count - 1));
  return different > kLeastDeviation * all.mean() && different > kTimesMore * alike;
}

Estimate estimate_of_variant(std::span<const PastRun> runs, std::span<const SoFar> running,
                             std::uint64_t variant) {
  std::vector<PastRun> own;
  std::vector<SoFar> own_running;
  std::ranges::copy_if(runs, std::back_inserter(own),
                       [&](const PastRun& run) { return run.variant == variant; });
  std::ranges::copy_if(running, std::back_inserter(own_running),
                       [&](const SoFar& run) { return run.variant == variant; });
  return estimate(own, own_running, Kinship::same_job);
}

}  // namespace sluice
