#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Tells the service manager how it goes, by the sd_notify protocol; does nothing where none
/// listens. A message that cannot be sent is dropped. Thread-safe.
class ServiceManager {
 public:
  /// `address`: a path, or "@name" in the abstract namespace; empty: none listens.
  explicit ServiceManager(std::string address) : address_(std::move(address)) {}

  /// By $NOTIFY_SOCKET.
  static ServiceManager from_environment();

  void ready(std::string_view status) const;
  void stopping() const;
  /// It is on its way to its end and needs more time, each time it says so for `extension`.
  void draining(std::string_view status, Duration extension) const;
  void reloading() const;
  void alive() const;  ///< Feeds the watchdog.

 private:
  void send(std::string_view message) const;

  std::string address_;
};

/// How often the watchdog wants to be fed: half of $WATCHDOG_USEC, if $WATCHDOG_PID is this process
/// or not set.
std::optional<Duration> watchdog_period();

}  // namespace sluice
