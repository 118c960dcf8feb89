#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/replay/record.h"

namespace sluice::cli {

/// The totals of a replay. All times are virtual.
class ReplaySummary {
 public:
  void add_record(const ReplayRecord& record);
  void add_instant(const ReplayInstant& instant);
  /// Ends the replay at this time: jobs still pending have waited until then.
  void end(Duration at);

  /// For people, and the same as one JSON object.
  std::string text() const;
  std::string json() const;

 private:
  /// Jobs of one queue and priority, as submitted.
  using Group = std::pair<std::string, int>;
  /// A refusal's code and its binding constraint; "behind" if no pass has reached the job yet.
  using Cause = std::pair<std::string, std::string>;

  struct Waiting {
    Duration since{0};
    Duration told{0};  ///< When its cause was last charged.
    const Group* group = nullptr;
    Duration* blocked = nullptr;  ///< The sum that its cause is charged to.
  };
  struct Longest {
    std::string job;
    Duration wait{-1};
    Group group;
    bool admitted = false;
  };
  /// The available and the used amount of something, integrated over time (amount x seconds).
  struct Use {
    double total = 0, used = 0;
    double last_total = 0, last_used = 0;
    double peak = 0;
  };
  struct Percentiles {
    double p50 = 0, p90 = 0, p99 = 0, max = 0;  ///< Seconds.
  };

  /// The CPUs of a scenario that measures them.
  struct Cpus {
    Use use;                                                 ///< In CPUs.
    double waiting = 0, last_waiting = 0, most_waiting = 0;  ///< Tasks a CPU; the first x seconds.
  };

  void begin_wait(const ReplayRecord& record);
  void blame(const ReplayRecord& record, Cause cause);
  void end_wait(const ReplayRecord& record, bool admitted);
  void compare(std::string_view job, Duration wait, const Group& group, bool admitted);
  void integrate(Duration until);
  double per_hour() const;
  static Percentiles percentiles(std::vector<Duration> waits);

  std::map<Group, std::vector<Duration>> waits_;
  std::map<Cause, Duration> blocked_;
  std::unordered_map<std::string, Waiting> waiting_;
  Longest longest_;
  std::size_t submitted_ = 0, deduplicated_ = 0, refused_ = 0, cancelled_ = 0, running_ = 0;
  std::map<Outcome, std::size_t> finished_;
  Use window_;
  std::optional<Cpus> cpus_;
  std::map<std::string, Use> managers_;
  Duration now_{0};
};

}  // namespace sluice::cli
