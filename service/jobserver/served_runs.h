#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process_table.h"
#include "process/run_brake.h"
#include "service/jobserver/served_client.h"
#include "sluice/job.h"

namespace sluice {

class History;

/// By number, which is in order of arrival.
using ServedClients = std::map<std::uint64_t, ServedClient>;

/// What the clients of a jobserver have running, all together: it is measured, what it used is
/// learned once it is over, and it is braked where memory runs short.
class ServedRuns {
 public:
  /// One line for people.
  using Say = std::function<void(const std::string&)>;

  /// `brake`: the memory that the emergency brake watches; empty: it is off.
  ServedRuns(std::shared_ptr<History> history, Say say, MemoryMeter brake);

  /// See `Jobserver::learn_with`.
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }
  /// See `Jobserver::brake_with`.
  void brake_with(MemoryMeter brake);
  /// What is learned, and predicted by.
  const History& history() const { return *history_; }

  /// Looks at what every client runs, if it is time to; to be called more often than that, with
  /// all clients there are.
  void look(ServedClients& clients, TimePoint now);
  /// A client is gone: see `Jobserver::close`.
  void finish(const ServedClient& client, Outcome outcome);

  /// Something is suspended, so that nothing more should be begun.
  bool suspends_any() const { return brake_ && brake_->holds_any(); }
  /// Times that a run was suspended, since the start.
  std::uint64_t suspended() const { return suspended_; }

 private:
  /// One client, of `all` processes. `worst`: how the largest of its runs that are over may have
  /// ended; their parent alone knows.
  void measure(ServedClient& client, const std::vector<ProcessFacts>& all, Outcome worst);
  /// A run is over.
  void learn(const ServedClient& client, const TokenRuns::Run& run, Outcome outcome);
  /// Has the brake look at all runs and says what it did; only where there is one.
  void brake(ServedClients& clients, TimePoint now);

  std::shared_ptr<History> history_;
  Say say_;
  std::unique_ptr<RunBrake> brake_;         ///< Null: off.
  TimePoint look_at_;                       ///< The next look.
  std::optional<std::uint64_t> oom_kills_;  ///< Of the host, at the last look.
  std::uint64_t suspended_ = 0;
};

}  // namespace sluice
