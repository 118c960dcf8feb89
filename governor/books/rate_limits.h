#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "governor/books/interned.h"
#include "governor/books/rules.h"

namespace sluice {

/// Counts running jobs per bucket. A job must fit in all of its buckets. Not thread-safe.
class RateLimits {
 public:
  /// A job's buckets as one number, 0 for none; pair each call with one `forget`.
  std::uint32_t learn(const std::vector<RateLimit>& buckets);
  void forget(std::uint32_t set);

  /// As new, but refusals may still point at its labels.
  void forget_all();

  void start(std::uint32_t set) { count(set, 1); }
  void finish(std::uint32_t set) { count(set, -1); }

  bool is_full(std::uint32_t set) const { return set != 0 && first_full(set) != nullptr; }

  /// The first bucket that is full.
  struct Full {
    std::string_view label;  ///< Valid as long as this object.
    int n = 0, running = 0;
  };
  /// `without`: sets of running jobs to ignore.
  std::optional<Full> full(std::uint32_t set, std::span<const std::uint32_t> without = {}) const;

 private:
  struct Bucket {
    RateLimit limit;
    int running = 0;
  };

  void count(std::uint32_t set, int by);
  const Bucket* first_full(std::uint32_t set, std::span<const std::uint32_t> without = {}) const;

  Interned<RateLimit> buckets_;
  Interned<std::vector<std::uint32_t>> sets_;
  std::vector<Bucket> counts_;            ///< By the number of the bucket.
  mutable std::set<std::string> labels_;  ///< All that a refusal ever named.
};

}  // namespace sluice
