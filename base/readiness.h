#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "sluice/units.h"

namespace sluice {

/// The time left as poll's timeout: milliseconds, rounded up, from 0 to an hour.
inline int poll_timeout(Duration left) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(milliseconds, 0, 3'600'000));
}

/// Whether the descriptor can be read, or has failed, within this time; false also if a signal is
/// handled first.
inline bool is_readable(int descriptor, Duration patience = Duration{0}) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, poll_timeout(patience)) > 0;
}

}  // namespace sluice
