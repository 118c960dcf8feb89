#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/log.h"
#include "base/non_copyable.h"
#include "config/config.h"
#include "service/http/server.h"
#include "sluice/prediction.h"

namespace sluice {

/// Options to start a daemon with.
struct ServeOptions {
  Config config;            ///< As read from `config_file`, or the defaults, amended.
  std::string config_file;  ///< Read again on reload; empty if there is none.
  /// Applies the command line to a configuration that was read again; empty if it says nothing.
  std::function<void(Config&)> amend;
  std::string shadow_file;            ///< Likewise, to be compared; empty if there is none.
  std::string socket;                 ///< Overrides the configuration's; empty if not given.
  std::optional<std::string> listen;  ///< Likewise; an empty text for no TCP port.
  /// `use_half` for a daemon of one user's own builds.
  GovernorOptions::WhenRed when_red = GovernorOptions::WhenRed::start_none;
  /// Reads the record as `sluice why`.
  std::string program = "/proc/self/exe";
  std::optional<Duration> exit_when_idle;  ///< Without jobs and clients; nullopt: it stays.
  http::Limits limits;
  MemoryMeter memory;  ///< For the emergency brake to monitor; if empty, this host's memory.
};

/// Why a daemon cannot start, in one line.
struct CannotServe : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The whole daemon: a governor of this host, reached over sockets.
class Daemon : NonCopyable {
 public:
  /// Reads the sensors and opens the sockets. Throws CannotServe.
  Daemon(ServeOptions options, Log log);
  ~Daemon();

  /// Serves on this thread until SIGTERM, SIGINT or `stop`. After the first SIGTERM, jobs that the
  /// daemon runs itself may finish first (`service.drain_on_stop`).
  void run();

  /// Ends `run` cleanly: notifies the service manager, accepts no more work, answers waiting
  /// clients, closes. Thread-safe.
  void stop();

  const std::string& socket() const;
  /// Its TCP address, with the actual port; empty if it does not listen over TCP.
  const std::string& listen() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice
