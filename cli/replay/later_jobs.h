#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/scenario_job.h"
#include "sluice/units.h"

namespace sluice::cli {

/// Jobs of a scenario that are submitted later than at their time: some time after another one is
/// over, or once their batch has room for them.
class LaterJobs {
 public:
  /// Whether a job of that name has been held back, whatever came of it.
  bool has_held(const std::string& name) const { return held_.contains(name); }

  /// Holds back a job that follows one which is not over.
  void follow(ScenarioJob job);
  /// Returns the job unless its batch holds it back; a batch keeps the order of its jobs.
  std::optional<ScenarioJob> pass_batch(ScenarioJob job);
  /// A job that waits or runs as the scenario begins takes its room in its batch.
  void join_batch(const ScenarioJob& job);

  void started(const std::string& name, TimePoint now);
  /// The job is over, whether it ran or not.
  void over(const std::string& name, TimePoint now);
  /// Its batch no longer waits for it.
  void leave_batch(const std::string& name, TimePoint now);

  bool is_empty() const { return following_.empty() && due_.empty() && in_batches_ == 0; }
  /// When the next job is due; nullopt if that depends on others, or there is none.
  std::optional<TimePoint> next() const;
  /// Removes a job that is due by `now`.
  std::optional<ScenarioJob> take_due(TimePoint now);

 private:
  struct Due {
    TimePoint at;
    std::uint64_t turn = 0;  ///< Breaks ties: the one released first comes first.
    std::shared_ptr<ScenarioJob> job;

    auto operator<=>(const Due&) const = default;
  };
  struct Batch {
    std::int64_t waiting = 0, unfinished = 0;
    std::deque<std::shared_ptr<ScenarioJob>> held;

    bool has_room_for(const ScenarioJob& job) const;
  };
  struct Member {
    Batch* batch = nullptr;
    bool waits = true;
  };

  void hold(const std::string& name) { held_.insert(name); }
  void release(TimePoint at, std::shared_ptr<ScenarioJob> job);
  void fill(Batch& batch, TimePoint now);

  std::unordered_set<std::string> held_;
  /// By the job that they follow.
  std::unordered_map<std::string, std::vector<std::shared_ptr<ScenarioJob>>> following_;
  std::unordered_map<std::string, Batch> batches_;
  std::unordered_map<std::string, Member> members_;  ///< Those that wait or run, by job.
  std::size_t in_batches_ = 0;                       ///< Jobs that batches hold back.
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::uint64_t turn_ = 0;
};

}  // namespace sluice::cli
