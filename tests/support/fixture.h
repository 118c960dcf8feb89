#pragma once

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

/// Timeout of a test for events that must happen.
inline constexpr std::chrono::seconds kDeadline{30};

/// Waits for a condition. Returns false after `kDeadline`.
bool eventually(const std::function<bool()>& condition);

/// A temporary folder, removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void write_file(const std::string& path, const std::string& text);

/// A window that neither sensors nor polls change.
GovernorOptions fixed_window(std::int64_t size);

/// The API without sockets: a real governor, with all its outgoing calls recorded.
class Bench {
 public:
  explicit Bench(GovernorOptions options = fixed_window(20),
                 std::size_t most_declared_bytes = kMostDeclaredBytes);

  /// One request over the Unix socket. Returns nullopt if the reply is deferred.
  std::optional<http::Response> ask(const std::string& method, const std::string& target,
                                    const std::string& body = {}, std::uint64_t connection = 1);
  std::optional<http::Response> ask(http::Request request);
  /// Delivers the governor's admissions until the condition holds.
  bool pump_until(const std::function<bool()>& condition);
  Points usage() const { return governor.status().usage; }

  TimePoint now = Clock::now();

 private:
  // These outlive the governor, which delivers refusals during its destruction.
  std::mutex mutex_;
  std::deque<std::pair<JobId, Admission>> handed_over_;

 public:
  Governor governor;
  std::vector<std::pair<std::uint64_t, http::Response>> replies;  ///< Deferred replies, once sent.
  std::vector<std::pair<std::uint64_t, pid_t>> watched;
  std::vector<std::uint64_t> unwatched;
  std::vector<std::pair<std::uint64_t, pid_t>> measured_below;
  std::map<pid_t, std::vector<pid_t>> ancestors;  ///< Of processes; empty unless set.
  std::optional<std::string> watch_problem;
  std::map<pid_t, std::uint64_t> started;    ///< Start times of processes; 1 unless set.
  std::map<std::uint64_t, Bytes> held;       ///< Kernel's figure for each job's processes.
  std::map<std::uint64_t, LeaseCpu> cpu;     ///< What the daemon has read of each job.
  std::map<std::uint64_t, pid_t> holders;    ///< Of the jobs whose holder is followed.
  std::optional<int> signal;                 ///< The signal that killed every lost process.
  std::optional<GroupKill> kill;             ///< Of the group of every lost process.
  std::vector<PermitWitness> above, beside;  ///< Of every process.
  ReloadResult reload_result = NoConfigFile{};
  std::shared_ptr<History> history;
  std::unique_ptr<jobserver::Server> jobserver;
  Faults faults;
  MemoryReserve reserve;
  TemporaryFolder folder;
  std::unique_ptr<Routes> routes;

 private:
  void pump();
};

/// A daemon with this configuration on a thread, with its socket in a temporary folder.
class RunningDaemon {
 public:
  /// `memory` is what its emergency brake watches; empty for this host's memory.
  /// `amend`: see `ServeOptions`.
  explicit RunningDaemon(const std::string& yaml = "", http::Limits limits = {},
                         MemoryMeter memory = {}, std::function<void(Config&)> amend = {});
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

/// A constant window of 20 points, no sensors, and a TCP port of its own.
extern const char* const kSmallWindow;

}  // namespace sluice::testing
