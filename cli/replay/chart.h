#pragma once

#include <string>
#include <vector>

#include "cli/replay/record.h"
#include "config/scenario.h"

namespace sluice::cli {

/// One instant in a chart.
struct ChartRow {
  Duration t{0};
  Points size, usage;
  std::size_t running = 0, pending = 0;
  /// Of each sensor; then busy and waiting of the CPUs, where they are measured.
  std::vector<double> levels;
  /// What the first job in line waits for: "window", "sensor load"; empty if no job waits. Set by
  /// `ReplayChart`.
  std::string limit = {};

  bool operator==(const ChartRow&) const = default;
};

/// The values of an instant as a row.
ChartRow chart_row(const ReplayInstant& instant);

/// The names of `ChartRow::levels`: those of the sensors, then "cpu_busy" and "cpu_waiting".
std::vector<std::string> level_names(const Scenario& scenario);

/// The head of a CSV and one row of it, each with its newline: "t,window,usage,running,pending" and
/// one column for each level.
std::string csv_head(const std::vector<std::string>& levels);
void append_csv(std::string& out, const ChartRow& row);

/// A replay over time, for a chart. However long it is, this keeps only as many rows as a chart can
/// show; it merges rows that lie closer and keeps the maximum of each value and the first limit.
class ReplayChart {
 public:
  explicit ReplayChart(std::size_t most_rows = 8192) : most_rows_(most_rows) {}

  void add_instant(const ReplayInstant& instant);
  /// The values stay the same until `at`.
  void end(Duration at);
  const std::vector<ChartRow>& rows() const { return rows_; }

 private:
  void thin_out();

  const std::size_t most_rows_;
  std::vector<ChartRow> rows_;
  Duration grain_{1};  ///< Minimum distance between rows.
};

}  // namespace sluice::cli
