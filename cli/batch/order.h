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

/// Which waiting job of a batch is next: the highest priority first and then, as a makespan and
/// not a queue is what a batch is about, the longest predicted one (LPT rule: Graham, "Bounds on
/// multiprocessing timing anomalies", 1969), or the one that came first. A job of unknown duration
/// counts as the mean of those known so far; equal ones go in order of arrival.
class BatchOrder {
 public:
  enum class By { longest, arrival };

  explicit BatchOrder(By by) : by_(by) {}

  void add(std::size_t seq, int priority, std::optional<Duration> expected);
  /// Takes the next one out; none: nothing waits.
  std::optional<std::size_t> next();
  /// Asks again what each waiting job is expected to need.
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
  double known_sum_ = 0;  ///< Nanoseconds, of all that were ever known.
  std::size_t known_count_ = 0;
};

/// Which jobs wait for others of their batch. A job is done when it will not be run again, so a
/// retry that goes well counts, and a failure before it does not.
class BatchDependencies {
 public:
  /// What a job may do: start, wait for others, or never run, as one of them did not end ok:
  /// `cancel` at once, `hold` for good.
  enum class Verdict { ready, waits, cancel, hold };

  Verdict add(std::size_t seq, const std::vector<std::string>& after, OnFailure on_failure);

  /// A job is done; those whose verdict this changes.
  std::vector<std::pair<std::size_t, Verdict>> done(const std::string& id, bool ok);

  /// Jobs that wait for one that is not done, or are held.
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
