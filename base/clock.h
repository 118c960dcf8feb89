#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>

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

/// A name for a job of this process that no other process of this host takes:
/// "launch-4711-1795901044395504955".
inline std::string unique_name(const std::string& kind) {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto count = std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
  return kind + "-" + std::to_string(getpid()) + "-" + std::to_string(count);
}

}  // namespace sluice
