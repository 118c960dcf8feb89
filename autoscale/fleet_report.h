#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/autoscale.h"
#include "sluice/units.h"

namespace sluice {

/// The report of one executor.
struct ExecutorReport {
  Points window, usage;
  Duration up{0};  ///< Since its daemon started, by the daemon's monotonic clock.
  bool draining = false;
  std::int64_t running = 0, pending = 0;  ///< Jobs.
  std::vector<QueuedJob> queued;          ///< The pending ones; `slots` are points.
  std::vector<std::string> paused;        ///< Queues.
  Fullness fullness = Fullness::unknown;
  std::optional<double> load;  ///< Of its host, over one minute.
  // Since the daemon's start.
  double wait_seconds = 0;      ///< Of admitted jobs.
  double duration_seconds = 0;  ///< Of ended jobs.
  std::uint64_t admitted = 0, ended = 0;

  bool idle() const { return running == 0 && pending == 0 && usage.value == 0; }
};

/// Maximum number of jobs per executor that are listed one by one.
inline constexpr std::size_t kMostQueuedEach = 1000;

/// Parses the answer to GET /v1/status. Pending jobs are sums per queue, with the wait of the
/// oldest. Rejects impossible values (not a number, below 0, beyond any machine) and names them.
/// Pure.
std::variant<ExecutorReport, std::string> parse_report(std::string_view status);

/// The same with the pending jobs one by one, from the answer to GET /v1/jobs?state=pending; jobs
/// that it does not list count as the mean of those it lists. Pure.
std::variant<ExecutorReport, std::string> with_jobs(ExecutorReport report, std::string_view jobs);

/// Appends `count` jobs of `cost` in total, the first of which has waited `waited`.
void append_jobs(std::vector<QueuedJob>& queued, std::int64_t count, Points cost, Duration waited,
                 bool held);

/// Pending jobs in one place: number and points of all jobs, and of those that are held.
struct PendingSums {
  std::int64_t jobs = 0, held = 0;
  Points cost, held_cost;
};
/// Appends the jobs of such sums; the first of each kind has waited `waited`.
void append_pending(std::vector<QueuedJob>& queued, const PendingSums& sums, Duration waited);

/// The first problem with a report.
class ReportProblem {
 public:
  void say(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  /// A number that is possible for `what`: from 0 to `most`; 0, and a problem, if it is not.
  double plausible(double value, double most, std::string_view what);
  const std::string& problem() const { return problem_; }

 private:
  std::string problem_;
};

}  // namespace sluice
