#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/jobserver/client_cpu.h"
#include "service/jobserver/token_fifo.h"
#include "service/jobserver/token_pool.h"
#include "service/jobserver/token_runs.h"
#include "service/jobserver/values.h"
#include "sluice/governor.h"
#include "sluice/prediction.h"

namespace sluice {
class History;
}  // namespace sluice

namespace sluice::jobserver {

/// The request to submit before a client starts: the job that it may run without a token.
JobRequest first_job_of(const Request& client, const History& history);

/// One client of a jobserver: its tokens with their permits, what it runs, and the expected need of
/// its next job. Destroying it removes its fifo and returns its permits.
class Session {
 public:
  /// `id` must be unique: it determines the numbers of the runs. `fifo` has no tokens yet.
  Session(std::uint64_t id, const Request& request, TokenFifo fifo);

  /// What lines for people call it.
  const std::string& name() const { return name_; }
  /// The request for each of its jobs, to the governor and in what is learned.
  const JobRequest& kind() const { return kind_; }
  /// Its current state, for people.
  View view() const;
  /// What would become of its tokens if it ended now.
  End end() const;

  /// Its command runs: see `Server::begin`.
  void begin(pid_t process, std::function<void(const JobUsage&)> measured_slot, TimePoint now);
  /// Whether `begin` was called.
  bool running() const { return running_; }
  /// The process passed to `begin`; 0 before.
  pid_t process() const { return process_; }

  /// A permit was requested under this number and has not arrived.
  void expect(JobId asked) { asked_ = asked; }
  /// Whether this is the number of the awaited permit.
  bool expects(JobId asked) const { return asked_ == asked; }
  /// Stops waiting for a permit; returns its number, if one was awaited.
  std::optional<JobId> expect_nothing() { return std::exchange(asked_, std::nullopt); }
  /// Caps its tokens at those it has now.
  void limit_to_granted() { most_ = permits_.size(); }

  /// Adds one token. False if the fifo takes none; the permit is then returned.
  bool grant(Permit permit);
  /// Takes the decision's `take_back` tokens out of the fifo, as far as they are still there, and
  /// returns their permits; the client owes the rest of the debt.
  void settle(const TokenDecision& decision);
  /// Whether it has yet to give back tokens that were not in the fifo at the last decision.
  bool owes() const { return debt_ > 0; }
  /// Removes tokens that were put back without having been taken: they must not let it run more
  /// than there are permits for. Returns a message the first time.
  std::optional<std::string> remove_surplus();
  /// Its state for the pool; `warm` as of the last `foresee`.
  TokenClient seen() const;
  /// Points that its tokens hold.
  Points held() const;
  /// Points held by those of its tokens that are in its fifo.
  Points held_idle() const;
  /// The fifo's descriptor: readable while tokens are idle.
  int descriptor() const { return fifo_.descriptor(); }

  /// Takes its current processes; returns the runs that have ended since the last poll.
  std::vector<TokenRuns::Run> sample(const std::vector<ClientProcess>& processes);
  /// Its runs as of the last poll.
  const std::vector<TokenRuns::Run>& alive() const { return alive_; }
  /// What its processes used since the last call: see `ClientCpu::sample`.
  ClientUse use_of(const std::vector<ProcessFacts>& members, std::map<pid_t, SchedulerTimes> times,
                   TimePoint now);
  /// Reports to its permits what its processes hold and use, in equal parts because it is unknown
  /// which process runs on which token: memory to all, use to those of the tokens in use.
  void spread(Bytes memory, const ClientUse& use);
  /// Counts one more of its runs suspended by the brake.
  void count_suspension() { ++suspended_; }

  /// Predicts the need of its next job from what is known now. Once warm, the client stays warm as
  /// long as anything is known of jobs like these.
  void foresee(const History& history);
  /// Mean peak of its next job, which is what is reserved for it; 0 if nothing is known.
  Bytes expected_memory() const;
  /// Jobs beyond it are taken to have outgrown the prediction: one in a hundred if peaks
  /// are normally distributed.
  ExpectedPeak likely_peak() const;

 private:
  /// Whether the runs of its key suffice for a prediction.
  bool has_enough_runs(const History& history) const;
  /// Tokens in the fifo, at most those granted.
  std::size_t idle() const { return std::min(fifo_.idle(), permits_.size()); }

  std::uint64_t id_;
  std::string name_;
  JobRequest kind_;
  std::size_t most_;  ///< Most tokens that it may have.
  TokenFifo fifo_;
  TokenRuns runs_;
  std::vector<TokenRuns::Run> alive_;
  std::vector<Permit> permits_;  ///< One per token,
  std::vector<JobUsage> used_;   ///< and the part of the use reported to each.
  JobUsage used_by_slot_;        ///< The same of the job without a token.
  std::optional<ClientCpu> cpu_;
  std::optional<JobId> asked_;  ///< The permit that has not arrived.
  bool running_ = false;
  pid_t process_ = 0;
  std::function<void(const JobUsage&)> measured_slot_;  ///< Empty before `begin`.
  Prediction prediction_;                               ///< For its next job.
  bool warm_ = false;     ///< `prediction_` is for jobs like these and based on enough of them.
  std::size_t debt_ = 0;  ///< Tokens that it has and owes.
  // See `View`.
  std::size_t most_granted_ = 0;
  std::uint64_t granted_ever_ = 0, suspended_ = 0;
  bool told_of_surplus_ = false;  ///< Report it only once.
};

}  // namespace sluice::jobserver
