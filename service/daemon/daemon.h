#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "config/config.h"
#include "service/http/server.h"
#include "sluice/prediction.h"

namespace sluice {

/// How a daemon is started.
struct ServeOptions {
  Config config;                      ///< As read from `config_file`, or the defaults.
  std::string config_file;            ///< To be read again on reload; empty: none.
  std::string socket;                 ///< Goes before the configuration's; empty: not given.
  std::optional<std::string> listen;  ///< Likewise; an empty text: no TCP port.
  HttpLimits limits;
  MemoryMeter memory;  ///< What the emergency brake watches; empty: the memory of this host.
};

/// Why a daemon cannot start, in one line.
struct CannotServe : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The whole daemon: a governor of this host, reached over sockets.
class Daemon {
 public:
  /// Reads the sensors and opens the sockets. Throws CannotServe.
  Daemon(ServeOptions options, Log log);
  ~Daemon();

  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Serves on this thread until SIGTERM, SIGINT or `stop`. On the first SIGTERM what it runs
  /// itself may end before (`service.drain_on_stop`).
  void run();

  /// Ends `run` in good order: tells the service manager, takes no more work, answers who waits,
  /// closes. Thread-safe.
  void stop();

  const std::string& socket() const;
  /// Where it listens over TCP, with the port that it got; empty: nowhere.
  const std::string& listen() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
