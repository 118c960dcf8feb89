#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "service/jobserver/token_fifo.h"
#include "service/jobserver/token_pool.h"
#include "service/jobserver/token_runs.h"
#include "service/jobserver/values.h"
#include "sluice/governor.h"
#include "sluice/prediction.h"

namespace sluice {

class History;

/// What to ask the governor for before a client starts: the job that it may run without a token.
JobRequest first_job_of(const JobserverRequest& client, const History& history);

/// One client of a jobserver: its tokens with the permits that they stand for, what it runs, and
/// what the next of its jobs is expected to need. When it goes, so do its fifo and its permits.
class ServedClient {
 public:
  /// `id` must be unlike that of any other: its runs are numbered by it. `fifo` has no tokens yet.
  ServedClient(std::uint64_t id, const JobserverRequest& request, TokenFifo fifo);

  /// What it runs, as a file name.
  const std::string& program() const { return kind_.program; }
  /// What each of its jobs is, to the governor and in what is learned.
  const JobRequest& kind() const { return kind_; }
  /// It as it is now, for people.
  JobserverView view() const;
  /// What would become of its tokens if it ended now.
  JobserverEnd end() const;

  /// Its command runs: see `Jobserver::begin`.
  void begin(pid_t process, std::function<void(const JobUsage&)> measured_slot);
  /// `begin` was called.
  bool running() const { return running_; }
  /// What `begin` named; 0 before.
  pid_t process() const { return process_; }

  /// A permit was asked for under this number and has not come.
  void expect(JobId asked) { asked_ = asked; }
  /// Whether that is the permit which has not come.
  bool expects(JobId asked) const { return asked_ == asked; }
  /// Nothing is waited for any more; what was, if anything.
  std::optional<JobId> expect_nothing();
  /// It gets no more tokens than it has now.
  void limit_to_granted() { most_ = permits_.size(); }

  /// One token more. False: the fifo takes none, and the permit has gone back.
  bool grant(Permit permit);
  /// Takes what the decision takes back out of the fifo, as far as it still lies there, and returns
  /// the permits for it; the rest of the debt is owed.
  void settle(const TokenDecision& decision);
  /// Tokens are to be given back that it had not put into the fifo by the last decision.
  bool owes() const { return debt_ > 0; }
  /// Takes out tokens that were put back without having been taken: they must not let it run more
  /// than there are permits for. What there is to say of it, the first time.
  std::optional<std::string> remove_surplus();
  /// For the pool to decide by; as warm as `foresee` found it.
  TokenClient seen() const;
  /// Points that its tokens hold.
  Points held() const;
  /// Points that those of them hold which lie in its fifo.
  Points held_idle() const;
  /// Of its fifo: readable while tokens lie idle.
  int descriptor() const { return fifo_.descriptor(); }

  /// Its processes as they are now; the runs that are over since the last look.
  std::vector<TokenRuns::Run> look(const std::vector<ClientProcess>& processes);
  /// Its runs as of the last look.
  const std::vector<TokenRuns::Run>& alive() const { return alive_; }
  /// Tells its permits what memory they stand for, of all that its processes have: nobody knows
  /// which of them runs on which token, so that each has an equal part.
  void spread(Bytes memory);
  /// The brake has suspended one of its runs.
  void count_suspension() { ++suspended_; }

  /// What the next of its jobs needs, by what is known now. Once warm it stays so as long as
  /// anything is known of jobs like these.
  void foresee(const History& history);
  /// Of the next job's peak: the mean, which is what is kept for it; 0: nothing is known.
  Bytes expected_memory() const;
  /// In bytes. Jobs beyond it are taken to have outgrown what is known of them: one in a hundred,
  /// if their peaks are spread normally.
  double likely_peak() const;

 private:
  /// Whether what its key's runs say is to be relied on.
  bool has_enough_runs(const History& history) const;
  /// Tokens in the fifo; never more than were granted.
  std::size_t idle() const;

  std::uint64_t id_;
  JobRequest kind_;
  std::size_t most_;  ///< Never more tokens than this.
  TokenFifo fifo_;
  TokenRuns runs_;
  std::vector<TokenRuns::Run> alive_;
  std::vector<Permit> permits_;  ///< One for each token.
  std::optional<JobId> asked_;   ///< The permit that has not come.
  bool running_ = false;
  pid_t process_ = 0;
  std::function<void(const JobUsage&)> measured_slot_;  ///< Empty before `begin`.
  Prediction prediction_;                               ///< Of its next job.
  bool warm_ = false;     ///< `prediction_` speaks of jobs like these, and of enough of them.
  std::size_t debt_ = 0;  ///< Tokens that it has and owes.
  // See `JobserverView`.
  std::size_t most_granted_ = 0;
  std::uint64_t granted_ever_ = 0, suspended_ = 0;
  bool told_of_surplus_ = false;  ///< Once is enough.
};

}  // namespace sluice
