#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/client.h"
#include "service/api/routes.h"
#include "service/daemon/daemon.h"
#include "sluice/governor.h"

namespace sluice::testing {

/// How long a test waits for what must happen.
inline constexpr std::chrono::seconds kDeadline{30};

/// Waits for a condition; false after the deadline.
bool eventually(const std::function<bool()>& condition);

/// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& text);

/// A window that neither sensors nor looks can move.
GovernorOptions fixed_window(std::int64_t size);

/// The API without sockets: a real governor, and everything it would tell the world recorded.
class Bench {
 public:
  explicit Bench(GovernorOptions options = fixed_window(20),
                 std::size_t most_declared_bytes = kMostDeclaredBytes);

  /// One request over the Unix socket. Nothing: the answer is held back.
  std::optional<Response> ask(const std::string& method, const std::string& target,
                              const std::string& body = {}, std::uint64_t connection = 1);
  std::optional<Response> ask(Request request);
  /// Hands over what the governor admitted, until the condition holds.
  bool pump_until(const std::function<bool()>& condition);
  Points usage() const { return governor.status().usage; }

  TimePoint now = Clock::now();

 private:
  // Outlive the governor, which hands over refusals while it is destroyed.
  std::mutex mutex_;
  std::deque<std::pair<JobId, Admission>> handed_over_;

 public:
  Governor governor;
  std::vector<std::pair<std::uint64_t, Response>> replies;  ///< Held back and sent then.
  std::vector<std::pair<std::uint64_t, pid_t>> watched;
  std::vector<std::uint64_t> unwatched;
  std::vector<std::pair<std::uint64_t, pid_t>> measured_below;
  std::map<pid_t, std::vector<pid_t>> ancestors;  ///< Of processes; none unless said.
  std::optional<std::string> watch_problem;
  std::map<pid_t, std::uint64_t> started;    ///< When processes began; 1 unless said.
  std::map<std::uint64_t, Bytes> held;       ///< What the kernel says of each job's processes.
  std::map<std::uint64_t, pid_t> holders;    ///< Of jobs, as far as they are followed.
  std::optional<int> signal;                 ///< That whoever is lost has died by.
  std::optional<GroupKill> kill;             ///< Of the group that whoever is lost was in.
  std::vector<PermitWitness> above, beside;  ///< Of every process.
  ReloadResult reload_result = NoConfigFile{};
  std::shared_ptr<History> history;
  std::unique_ptr<Jobserver> jobserver;
  Faults faults;
  MemoryReserve reserve;
  TemporaryFolder folder;
  std::unique_ptr<Routes> routes;

 private:
  void pump();
};

/// A daemon with this configuration on a thread, on a socket in a folder of its own.
class RunningDaemon {
 public:
  /// `memory`: what its emergency brake watches; empty: this host's.
  explicit RunningDaemon(const std::string& yaml = "", HttpLimits limits = {},
                         MemoryMeter memory = {});
  ~RunningDaemon();

  void stop();
  Client client() const;
  /// One request on a connection of its own; status 0 and the problem if it failed.
  ClientReply ask(const std::string& method, const std::string& target,
                  const std::string& body = {}) const;
  std::string log() const;
  const std::string& socket() const { return daemon_->socket(); }
  const std::string& listen() const { return daemon_->listen(); }

  TemporaryFolder folder;
  std::string config_file;

 private:
  mutable std::mutex mutex_;
  std::string log_;
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
};

/// A window of 20 points that stays, no sensor, and a TCP port of its own.
extern const char* const kSmallWindow;

}  // namespace sluice::testing
