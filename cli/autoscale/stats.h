#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscale/fleet_averages.h"
#include "autoscale/fleet_controller.h"

namespace sluice::cli {

/// One observation of the fleet in the form of StarCluster's statistics.
struct StatsRow {
  std::chrono::system_clock::time_point time;
  int hosts = 0;
  std::int64_t running_jobs = 0, queued_jobs = 0, slots = 0;
  std::optional<double> avg_duration, avg_wait;  ///< Seconds, over the lookback.
  std::optional<double> avg_load;                ///< Over the hosts that report theirs.

  bool operator==(const StatsRow&) const = default;
};

/// Why nothing is known of the fleet: its list, the queue or all of its executors could not be
/// read; empty if something is known.
std::string why_blind(const ReconcileResult& result);

/// nullopt while the fleet cannot be observed.
std::optional<StatsRow> stats_row(const ReconcileResult& result, const FleetAverages::Means& means,
                                  std::chrono::system_clock::time_point time);

/// "time,hosts,...": the column names and a newline.
std::string stats_head();

/// The row as CSV with a newline; unknown values are empty.
std::string stats_line(const StatsRow& row);

/// The rows of such a file, without its head; skips invalid ones. Pure.
std::vector<StatsRow> stats_rows(std::string_view csv);

/// Jobs that wait and are not held, and jobs that run.
std::int64_t queued_jobs(const Observation& observation);
std::int64_t running_jobs(const FleetObservation& fleet);

}  // namespace sluice::cli
