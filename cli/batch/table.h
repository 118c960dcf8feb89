#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/batch/halt.h"
#include "cli/batch/job.h"
#include "cli/batch/order.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A job of a batch that is not done.
struct TrackedJob {
  BatchJob job;
  int attempts = 0;  ///< Runs that ended by themselves.
  int requeued = 0;  ///< Times that the brake ended it.
  TimePoint ready;   ///< When it began to wait for nothing but admission.
};

/// The jobs of a batch that are not done: which is next, and how the end of one affects others.
class BatchTable {
 public:
  using Expect = std::function<std::optional<Duration>(const JobRequest&)>;
  /// Whether a job that an earlier batch ran ended ok there.
  using EndedOk = std::function<bool(const BatchJob&)>;

  BatchTable(BatchOrder::By by, Expect expect, EndedOk ended_ok)
      : order_(by), expect_(std::move(expect)), ended_ok_(std::move(ended_ok)) {}

  /// Jobs that will never run, each with the reason.
  using Dropped = std::vector<std::pair<BatchJob, std::string>>;

  Dropped add(BatchJob job, TimePoint now);
  /// The next job to submit; null if there is none now.
  TrackedJob* next();
  TrackedJob& at(std::size_t seq) { return jobs_.at(seq); }
  /// The job waits for admission, for the first time or once more.
  void enqueue(std::size_t seq, TimePoint now);
  /// The job is done; those that depended on it alone wait for admission from `now` on.
  Dropped done(std::size_t seq, bool ok, TimePoint now);
  /// Skips a job that an earlier batch ran: those that depend on it run or not as they would have
  /// there.
  Dropped skip(const BatchJob& job);
  /// Drops jobs that wait for jobs that will never end ok; call it only when nothing else is left.
  Dropped give_up();

  /// Rebuilds the order, since predictions may have changed.
  void refresh();

  std::size_t waiting() const { return order_.size() + dependencies_.waiting(); }
  bool has_next() const { return !order_.empty(); }
  /// Jobs that are not done.
  std::size_t size() const { return jobs_.size(); }
  const BatchCounts& counts() const { return counts_; }
  /// Counts an invalid line as a failed job.
  void count_bad_line();

 private:
  using Changes = std::vector<std::pair<std::size_t, BatchDependencies::Verdict>>;

  Dropped settle(const Changes& changes);
  void drop(std::size_t seq, const std::string& why, Dropped& into);

  BatchOrder order_;
  Expect expect_;
  EndedOk ended_ok_;
  BatchDependencies dependencies_;
  std::unordered_map<std::size_t, TrackedJob> jobs_;
  BatchCounts counts_;
  TimePoint now_;  ///< From the last call that passed it.
};

}  // namespace sluice::cli
