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

/// Where statistics go; empty: nowhere.
struct StatisticsPlaces {
  std::string csv;      ///< A file.
  std::string folder;   ///< Of the pictures, and
  std::string picture;  ///< what they are: "png" or "svg".
};

/// What statistics reach the world by, files apart.
struct StatisticsHands {
  /// Runs gnuplot; one line where that did not work. Called on a thread of its own.
  std::function<std::optional<std::string>(const std::string& script)> draw;
  std::function<void(const std::string& problem)> say;
};

/// Appends the row, with the head where the file is new. A last line that was cut off is ended
/// first; a file that begins otherwise than with the head is left alone. One line where the row was
/// not written.
std::optional<std::string> append_stats(const std::string& path, const StatsRow& row);

/// Statistics as a file and as pictures. What fails there is said once and stops nothing. Used on
/// one thread.
class Statistics {
 public:
  Statistics(StatisticsPlaces places, StatisticsHands hands);

  void note(const StatsRow& row);

  /// The pictures are of all that was noted.
  void end();

 private:
  void draw();
  void say(const std::optional<std::string>& problem);

  const StatisticsPlaces places_;
  const StatisticsHands hands_;
  std::set<std::string> said_;
  std::vector<StatsRow> rows_;
  std::atomic<bool> drawing_{false};
  std::optional<std::string> drawn_;  ///< What went wrong; the drawer's while it draws.
  std::jthread drawer_;
};

}  // namespace sluice::cli
