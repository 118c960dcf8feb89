#pragma once

#include <cstddef>

namespace sluice {

/// Decides when memory goes back to the kernel: once most jobs and clients of a load peak have
/// gone. Pure; not thread-safe.
class MemoryRelease {
 public:
  /// `held`: how many jobs and connections there are now. Not due while they are still leaving.
  bool is_due(std::size_t held);

 private:
  std::size_t last_ = 0;
  std::size_t largest_ = 0;  ///< Since memory was last released.
};

}  // namespace sluice
