#include "service/daemon/memory_release.h"

#include <algorithm>
#include <utility>

namespace sluice {
namespace {

/// With fewer jobs and connections than this, little memory could be released.
constexpr std::size_t kTrimThreshold = 2048;

}  // namespace

bool MemoryRelease::is_due(std::size_t held) {
  largest_ = std::max(largest_, held);
  const bool is_leaving = std::exchange(last_, held) > held;
  if (is_leaving || largest_ < kTrimThreshold || held > largest_ / 2) return false;
  largest_ = held;
  return true;
}

}  // namespace sluice
