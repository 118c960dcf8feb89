#pragma once

#include <chrono>
#include <cstdint>

namespace sluice {

/// Wall-clock time in seconds since 1970.
inline double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The same in whole seconds.
inline std::int64_t unix_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

}  // namespace sluice
