#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace sluice {

/// Serves one page of metrics, and /livez and /readyz, over TCP on a thread of its own, for whoever
/// asks.
class MetricsPort {
 public:
  /// `page` is called on that thread. Throws std::runtime_error with one line where it cannot
  /// listen at `address` (HOST:PORT).
  MetricsPort(const std::string& address, std::function<std::string()> page);
  ~MetricsPort();

  MetricsPort(const MetricsPort&) = delete;
  MetricsPort& operator=(const MetricsPort&) = delete;

  /// HOST:PORT, with the port that was taken for port 0.
  std::string address() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
