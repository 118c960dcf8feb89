#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice {

/// Decides when memory goes back to the kernel: once most jobs and clients of a load peak have
/// gone. Pure; not thread-safe.
class MemoryRelease {
 public:
  /// `held`: how many jobs and connections there are now. Not due while they are still leaving.
  bool is_due(std::size_t held) {
    largest_ = std::max(largest_, held);
    const bool is_leaving = std::exchange(last_, held) > held;
    if (is_leaving || largest_ < kTrimThreshold || held > largest_ / 2) return false;
    largest_ = held;
    return true;
  }

 private:
  /// With fewer jobs and connections than this, little memory could be released.
  static constexpr std::size_t kTrimThreshold = 2048;

  std::size_t last_ = 0;
  std::size_t largest_ = 0;  ///< Since memory was last released.
};

}  // namespace sluice
