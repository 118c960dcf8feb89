#pragma once

#include <functional>
#include <memory>
#include <string>

namespace sluice {

/// Serves a page of metrics, /livez and /readyz to anyone over TCP, on a thread of its own.
class MetricsPort {
 public:
  /// `page` is called on that thread. Throws std::runtime_error with one line if it cannot listen
  /// at `address` (HOST:PORT).
  MetricsPort(const std::string& address, std::function<std::string()> page);
  ~MetricsPort();

  MetricsPort(const MetricsPort&) = delete;
  MetricsPort& operator=(const MetricsPort&) = delete;

  /// HOST:PORT, with the actual port if 0 was requested.
  std::string address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
