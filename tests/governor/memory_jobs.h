#pragma once

#include <cstdint>
#include <string>

#include "fakes.h"

namespace sluice::memory_test {

using fakes::at;
using fakes::fixed_window;

inline constexpr std::uint64_t kMiB = 1 << 20;

inline JobRequest job(const std::string& key) {
  JobRequest request;
  request.key = key;
  request.measured = true;
  return request;
}

inline JobUsage holding(int mebibytes) {
  JobUsage usage;
  usage.memory = Bytes{static_cast<std::uint64_t>(mebibytes) * kMiB};
  return usage;
}

/// Jobs short of memory may be passed over, as under the adaptive law.
inline GovernorOptions options() {
  GovernorOptions options = fixed_window(1000);
  options.queueing.queues["default"].backfill = kAdaptiveBackfill;
  return options;
}

}  // namespace sluice::memory_test
