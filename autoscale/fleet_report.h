#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sluice/autoscale.h"
#include "sluice/units.h"

namespace sluice {

/// What one executor says of itself.
struct ExecutorReport {
  Points window, usage;
  Duration up{0};  ///< Since its daemon was started, by its own monotonic clock.
  bool draining = false;
  std::int64_t running = 0, pending = 0;  ///< Jobs.
  std::vector<QueuedJob> queued;          ///< The pending ones; `slots` are points.
  std::vector<std::string> paused;        ///< Queues.
  std::optional<double> load;             ///< Of its host over a minute.
  // Since its start.
  double wait_seconds = 0;      ///< Of admitted jobs.
  double duration_seconds = 0;  ///< Of ended jobs.
  std::uint64_t admitted = 0, ended = 0;

  bool idle() const { return running == 0 && pending == 0 && usage.value == 0; }
};

/// The most jobs of one executor that are looked at one by one.
inline constexpr std::size_t kMostQueuedEach = 1000;

/// The answer to GET /v1/status. Its pending jobs come by queue, as sums,
/// and the one that waits longest is told how long. What cannot be (no number, below 0, beyond any
/// machine) is refused, and named. Pure.
std::variant<ExecutorReport, std::string> parse_report(std::string_view status);

/// The same with the pending jobs one by one, out of the answer to GET /v1/jobs?state=pending;
/// those it does not list count as the mean of those it lists. Pure.
std::variant<ExecutorReport, std::string> with_jobs(ExecutorReport report, std::string_view jobs);

/// So many jobs of that much in all, of which the first has waited `waited`.
void append_jobs(std::vector<QueuedJob>& queued, std::int64_t count, Points cost, Duration waited,
                 bool held);

/// What waits somewhere: all jobs and points of it, and those of them that are held.
struct PendingSums {
  std::int64_t jobs = 0, held = 0;
  Points cost, held_cost;
};
/// The jobs of such sums, of which the first of each kind has waited `waited`.
void append_pending(std::vector<QueuedJob>& queued, const PendingSums& sums, Duration waited);

/// A number that may stand for `what`: from 0 to `most`.
std::variant<double, std::string> plausible(double value, double most, std::string_view what);

}  // namespace sluice
