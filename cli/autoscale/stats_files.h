#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cli/autoscale/stats.h"

namespace sluice::cli {

/// Where to write statistics; an empty path writes none.
struct StatisticsPlaces {
  std::string csv;      ///< A file.
  std::string folder;   ///< The folder of the charts, and
  std::string picture;  ///< their format: "png" or "svg".
};

/// The callbacks of statistics, besides files.
struct StatisticsCallbacks {
  /// Runs gnuplot; returns one line on failure. Called on a thread of its own.
  std::function<std::optional<std::string>(const std::string& script)> draw;
  std::function<void(const std::string& problem)> say;
};

/// Appends the row, preceded by the head if the file is new. Completes a last line that was cut
/// off; leaves a file alone that does not begin with the head. Returns one line if the row was not
/// written.
std::optional<std::string> append_stats(const std::string& path, const StatsRow& row);

/// Writes statistics to a file and as charts. Reports each error once and carries on. Use it on one
/// thread.
class Statistics {
 public:
  Statistics(StatisticsPlaces places, StatisticsCallbacks callbacks);

  void append_row(const StatsRow& row);

  /// Draws the charts once more, with all rows noted.
  void end();

 private:
  void draw();
  void say(const std::optional<std::string>& problem);

  const StatisticsPlaces places_;
  const StatisticsCallbacks callbacks_;
  std::set<std::string> said_;
  std::vector<StatsRow> rows_;
  std::atomic<bool> drawing_{false};
  std::optional<std::string> drawn_;  ///< Error of the last drawing; `drawer_` owns it meanwhile.
  std::jthread drawer_;
};

}  // namespace sluice::cli
