#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice::cli {

/// The order of a batch's waiting jobs: highest priority first, then, since a batch is about
/// makespan and not queueing, the longest predicted job (LPT rule: Graham, "Bounds on
/// multiprocessing timing anomalies", 1969) or the earliest. A job of unknown duration counts as
/// the mean of those known so far; ties go in order of arrival.
class BatchOrder {
 public:
  enum class By { longest, arrival };

  explicit BatchOrder(By by) : by_(by) {}

  void add(std::size_t seq, int priority, std::optional<Duration> expected);
  /// Removes and returns the next job; nullopt if none waits.
  std::optional<std::size_t> next();
  /// Updates the predicted duration of each waiting job.
  void refresh(const std::function<std::optional<Duration>(std::size_t)>& expected);

  std::size_t size() const { return known_.size() + unknown_.size(); }
  bool empty() const { return size() == 0; }

 private:
  struct Place {
    int priority;
    Duration expected;
    std::size_t seq;
    bool operator<(const Place& other) const;
  };
  bool unknown_is_next() const;

  By by_;
  std::set<Place> known_, unknown_;
  double known_sum_ = 0;  ///< Nanoseconds, of all durations ever known.
  std::size_t known_count_ = 0;
};

/// Dependencies between the jobs of a batch. A job is done when it will not run again, so a
/// successful retry counts, and a failure before it does not.
class BatchDependencies {
 public:
  /// What a job may do: start, wait for others, or never run because one of them did not end ok:
  /// `cancel` at once, `hold` for good.
  enum class Verdict { ready, waits, cancel, hold };

  Verdict add(std::size_t seq, const std::vector<std::string>& after, OnFailure on_failure);

  /// Marks a job as done; returns the jobs whose verdict changes.
  std::vector<std::pair<std::size_t, Verdict>> done(const std::string& id, bool ok);

  /// Jobs that are held or wait for an unfinished job.
  std::size_t waiting() const { return waiting_.size(); }
  std::vector<std::size_t> waiting_jobs() const;

 private:
  struct Waiting {
    std::size_t left = 0;
    OnFailure on_failure = OnFailure::cancel;
    bool held = false;
  };
  std::unordered_map<std::string, bool> done_;  ///< By id: whether it ended ok.
  std::unordered_map<std::string, std::vector<std::size_t>> followers_;
  std::map<std::size_t, Waiting> waiting_;
};

}  // namespace sluice::cli
