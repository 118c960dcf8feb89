#include "governor/books/rate_limits.h"

#include <algorithm>

namespace sluice {

std::uint32_t RateLimits::learn(const std::vector<RateLimit>& buckets) {
  if (buckets.empty()) return 0;
  std::vector<std::uint32_t> set;
  for (const RateLimit& limit : buckets) {
    const std::uint32_t bucket = buckets_.learn(limit);
    if (counts_.size() <= bucket) counts_.resize(bucket + 1);
    if (counts_[bucket].limit != limit) counts_[bucket] = {limit, 0};
    set.push_back(bucket);
  }
  return sets_.learn(std::move(set));
}

void RateLimits::forget(std::uint32_t set) {
  if (set == 0) return;
  const std::vector<std::uint32_t> buckets = sets_[set];
  sets_.forget(set);
  for (const std::uint32_t bucket : buckets) {
    if (buckets_.forget(bucket)) counts_[bucket] = {};
  }
}

void RateLimits::forget_all() {
  buckets_ = {};
  sets_ = {};
  counts_.clear();
}

void RateLimits::count(std::uint32_t set, int by) {
  if (set == 0) return;
  for (const std::uint32_t bucket : sets_[set]) counts_[bucket].running += by;
}

const RateLimits::Bucket* RateLimits::first_full(std::uint32_t set,
                                                 std::span<const std::uint32_t> without) const {
  const auto& buckets = sets_[set];
  const auto full = std::find_if(buckets.begin(), buckets.end(), [&](std::uint32_t bucket) {
    const auto left_out = std::ranges::count_if(
        without, [&](std::uint32_t other) { return std::ranges::count(sets_[other], bucket) > 0; });
    return counts_[bucket].running - left_out >= counts_[bucket].limit.n;
  });
  return full == buckets.end() ? nullptr : &counts_[*full];
}

std::optional<RateLimits::Full> RateLimits::full(std::uint32_t set,
                                                 std::span<const std::uint32_t> without) const {
  const Bucket* bucket = set == 0 ? nullptr : first_full(set, without);
  if (!bucket) return std::nullopt;
  return Full{*labels_.insert(bucket->limit.label).first, bucket->limit.n, bucket->running};
}

}  // namespace sluice
