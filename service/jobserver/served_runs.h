#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process_list.h"
#include "base/process_table.h"
#include "process/local_brake.h"
#include "service/jobserver/session.h"
#include "sluice/job.h"

namespace sluice {
class History;
}  // namespace sluice

namespace sluice::jobserver {

/// By number, that is, in order of arrival.
using Sessions = std::map<std::uint64_t, Session>;

/// All that the clients of a jobserver are running: measures it, learns from it when it ends, and
/// brakes it if memory runs short.
class ServedRuns {
 public:
  /// Takes one line for people.
  using Say = std::function<void(const std::string&)>;

  /// `brake`: the memory that the emergency brake monitors; empty if it is off.
  ServedRuns(std::shared_ptr<History> history, Say say, MemoryMeter brake);

  /// See `Server::learn_with`.
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }
  /// See `Server::brake_with`.
  void brake_with(MemoryMeter brake);
  /// The history to learn into and predict from.
  const History& history() const { return *history_; }

  /// Samples what every client runs if that is due; call it more often than that, with all clients.
  /// Under `law: knee` tokens report the CPU time of what runs on them.
  void sample(Sessions& clients, Law law, TimePoint now);
  /// A client has gone: see `Server::close`.
  void finish(const Session& client, Outcome outcome);

  /// Whether anything is suspended; if so, start nothing more.
  bool suspends_any() const { return brake_ && brake_->holds_any(); }
  /// Number of suspensions since the start.
  std::uint64_t suspended() const { return suspended_; }

 private:
  /// Measures one client among `all` processes. `worst`: how the largest of its ended runs may have
  /// ended; only their parent knows.
  void measure(Session& client, const std::vector<ProcessFacts>& all, Outcome worst, Law law,
               TimePoint now);
  /// Learns from a run that has ended.
  void learn(const Session& client, const TokenRuns::Run& run, Outcome outcome);
  /// Polls the brake for all runs and reports its actions; call it only if there is a brake.
  void brake(Sessions& clients, TimePoint now);

  std::shared_ptr<History> history_;
  Say say_;
  std::unique_ptr<LocalBrake> brake_;  ///< Null if off.
  ProcessList processes_;
  std::vector<pid_t> followed_;             ///< The clients' processes at the last poll.
  TimePoint poll_at_;                       ///< Time of the next poll.
  std::optional<std::uint64_t> oom_kills_;  ///< The host's count at the last poll.
  std::uint64_t suspended_ = 0;
};

}  // namespace sluice::jobserver
