#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sluice/governor.h"

namespace sluice {

/// Jobs that did not end `ok`: at least the `kRememberedFailures` with the largest numbers. One
/// block of memory: separate nodes, allocated as many jobs end, would pin the memory those held.
class FailedJobs {
 public:
  FailedJobs() = default;
  /// Those that another remembered.
  explicit FailedJobs(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)) {}

  bool contains(JobId job) const {
    return std::binary_search(numbers_.begin(), numbers_.end(), job.value);
  }

  void insert(JobId job) {
    // Nearly always at or near the end.
    const auto place = std::lower_bound(numbers_.begin(), numbers_.end(), job.value);
    if (place != numbers_.end() && *place == job.value) return;
    numbers_.insert(place, job.value);
    if (numbers_.size() < 2 * kRememberedFailures) return;
    numbers_.erase(numbers_.begin(),
                   numbers_.begin() + static_cast<std::ptrdiff_t>(kRememberedFailures));
  }

  /// Sorted.
  const std::vector<std::uint64_t>& numbers() const { return numbers_; }

 private:
  std::vector<std::uint64_t> numbers_;  ///< Sorted.
};

}  // namespace sluice
