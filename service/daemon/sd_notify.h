#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Notifies the service manager by the sd_notify protocol; does nothing if there is none. Drops
/// messages that cannot be sent. Thread-safe.
class ServiceManager {
 public:
  /// `address`: a path, or "@name" in the abstract namespace; empty if there is no service manager.
  explicit ServiceManager(std::string address) : address_(std::move(address)) {}

  /// Takes the address from $NOTIFY_SOCKET.
  static ServiceManager from_environment();

  void ready(std::string_view status) const { send("READY=1\nSTATUS=" + std::string(status)); }
  void stopping() const { send("STOPPING=1"); }
  /// It is ending and needs more time; each call extends it by `extension`.
  void draining(std::string_view status, Duration extension) const;
  void reloading() const;
  void ping_watchdog() const { send("WATCHDOG=1"); }  ///< Feeds the watchdog.

 private:
  void send(std::string_view message) const;

  std::string address_;
};

/// Interval for feeding the watchdog: half of $WATCHDOG_USEC, if $WATCHDOG_PID is this process or
/// unset; otherwise nullopt.
std::optional<Duration> watchdog_period();

}  // namespace sluice
