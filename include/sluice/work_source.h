#pragma once

#include <string>
#include <string_view>

namespace sluice {

/// Somewhere jobs come from that must be told whether this executor takes work. A work source
/// starts out unregistered; from then on the two calls alternate. Both come from the admission
/// thread, the last from the thread that destroys the governor. Neither may block for long or
/// destroy the governor.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  /// Takes work from now on.
  virtual void register_for_work() = 0;

  /// Takes no more work from now on, and why. Jobs that run go on.
  virtual void deregister(std::string_view reason) = 0;
};

}  // namespace sluice
