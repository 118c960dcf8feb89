#include "cli/autoscale/stats_files.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/errno_text.h"
#include "base/file_contents.h"
#include "cli/autoscale/plot.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

/// Several times the number of columns in a chart.
constexpr std::size_t kMostRows = 4000;

/// The start of a file, as long as the head, and its last byte.
struct Ends {
  std::string first;
  char last = '\n';
};

/// nullopt if the file cannot be read. Empty for anything but a regular file, such as a pipe.
std::optional<Ends> ends_of(const std::string& path) {
  std::error_code ignored;
  Ends ends;
  if (!fs::is_regular_file(path, ignored) || fs::file_size(path, ignored) == 0) return ends;
  ends.first.resize(stats_head().size());
  std::ifstream file(path, std::ios::binary);
  file.read(ends.first.data(), static_cast<std::streamsize>(ends.first.size()));
  ends.first.resize(static_cast<std::size_t>(file.gcount()));
  file.clear();
  file.seekg(-1, std::ios::end);
  return file.get(ends.last) ? std::optional(ends) : std::nullopt;
}

/// The text missing before the next row; nullopt if the file belongs to something else.
std::optional<std::string> missing_after(const Ends& ends) {
  const std::string head = stats_head();
  if (!head.starts_with(ends.first)) return std::nullopt;
  if (ends.first.size() < head.size()) return head.substr(ends.first.size());
  return ends.last == '\n' ? "" : "\n";
}

}  // namespace

std::optional<std::string> append_stats(const std::string& path, const StatsRow& row) {
  const auto ends = ends_of(path);
  if (!ends) return path + ": cannot be read";
  const auto missing = missing_after(*ends);
  if (!missing) {
    return path + ": its first line is not the header of these statistics; left untouched";
  }
  std::FILE* file = std::fopen(path.c_str(), "ae");
  if (!file) return errno_text(path);
  const std::string text = *missing + stats_line(row);
  const bool wrote = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (wrote && closed) return std::nullopt;
  return errno_text(path);
}

Statistics::Statistics(StatisticsPlaces places, StatisticsCallbacks callbacks)
    : places_(std::move(places)), callbacks_(std::move(callbacks)) {
  std::error_code ignored;
  if (!places_.csv.empty()) fs::create_directories(fs::path(places_.csv).parent_path(), ignored);
  if (places_.folder.empty()) return;
  fs::create_directories(places_.folder, ignored);
  // The charts continue from where a previous process ended.
  rows_ = stats_rows(file_contents(places_.csv).value_or(""));
  thin_out(rows_, kMostRows);
}

void Statistics::append_row(const StatsRow& row) {
  if (!places_.csv.empty()) say(append_stats(places_.csv, row));
  if (places_.folder.empty()) return;
  rows_.push_back(row);
  thin_out(rows_, kMostRows);
  if (!drawing_.exchange(true)) draw();
}

void Statistics::end() {
  if (rows_.empty()) return;
  if (drawer_.joinable()) drawer_.join();
  draw();
  drawer_.join();
  say(std::exchange(drawn_, std::nullopt));
}

/// On a thread of its own, since gnuplot can take longer than the interval.
void Statistics::draw() {
  if (drawer_.joinable()) drawer_.join();
  say(std::exchange(drawn_, std::nullopt));
  drawer_ = std::jthread([this, script = stats_plot(rows_, places_.folder, places_.picture)] {
    drawn_ = callbacks_.draw(script);
    drawing_ = false;
  });
}

void Statistics::say(const std::optional<std::string>& problem) {
  if (problem && said_.insert(*problem).second) callbacks_.say(*problem);
}

}  // namespace sluice::cli
