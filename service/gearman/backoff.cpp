#include "service/gearman/backoff.h"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

constexpr Duration kFirst = std::chrono::milliseconds(100);
constexpr Duration kMost = std::chrono::seconds(30);

/// In [0, 1). Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014: the mixing step of SplitMix64.
double part_of(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t mixed = seed + number * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31U;
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
  return static_cast<double>(mixed >> 11U) * kUnit;
}

}  // namespace

Duration reconnect_delay(std::uint64_t failures, std::uint64_t seed) {
  // 2^9 x 100 ms exceeds the maximum.
  const std::uint64_t doublings =
      std::min<std::uint64_t>(failures - std::min<std::uint64_t>(failures, 1), 9);
  const Duration whole = std::min(kFirst * (std::int64_t{1} << doublings), kMost);
  const auto half = whole / 2;
  const double jitter = part_of(seed, failures) * static_cast<double>(half.count());
  return half + Duration{static_cast<Duration::rep>(jitter)};
}

}  // namespace sluice
