#include "cli/replay/chart.h"

#include <algorithm>

#include "base/text.h"
#include "cli/replay/records.h"
#include "cli/replay/rules.h"

namespace sluice::cli {
namespace {

/// Quoted according to RFC 4180.
std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string limit_of(const ReplayInstant& instant) {
  const auto refusal = instant.pending > 0 && instant.limiting ? instant.limiting() : std::nullopt;
  if (!refusal) return "";
  const std::string code(to_string(refusal->code));
  const bool is_named = !refusal->binding.empty() && refusal->binding != code;
  return is_named ? code + " " + std::string(refusal->binding) : code;
}

bool same_values(const ChartRow& a, const ChartRow& b) {
  return a.size == b.size && a.usage == b.usage && a.running == b.running &&
         a.pending == b.pending && a.levels == b.levels && a.limit == b.limit;
}

/// The maximum of each value: a chart must not lose peaks.
void merge(ChartRow& into, const ChartRow& row) {
  into.size = std::max(into.size, row.size);
  into.usage = std::max(into.usage, row.usage);
  into.running = std::max(into.running, row.running);
  into.pending = std::max(into.pending, row.pending);
  if (into.limit.empty()) into.limit = row.limit;
  for (std::size_t i = 0; i < into.levels.size(); ++i) {
    into.levels[i] = std::max(into.levels[i], row.levels[i]);
  }
}

}  // namespace

ChartRow chart_row(const ReplayInstant& instant) {
  ChartRow row{instant.t,       instant.size,
               instant.usage,   instant.running,
               instant.pending, {instant.pressures.begin(), instant.pressures.end()}};
  if (instant.cpu) row.levels.insert(row.levels.end(), {instant.cpu->busy, instant.cpu->waiting});
  return row;
}

std::vector<std::string> level_names(const Scenario& scenario) {
  std::vector<std::string> names = replay_sensors(scenario);
  if (is_measured(scenario)) names.insert(names.end(), {"cpu_busy", "cpu_waiting"});
  return names;
}

std::string csv_head(const std::vector<std::string>& levels) {
  std::string head = "t,window,usage,running,pending";
  for (const std::string& level : levels) head += "," + csv_text(level);
  return head + "\n";
}

void append_csv(std::string& out, const ChartRow& row) {
  out += exact_seconds(row.t);
  for (const std::int64_t points : {row.size.value, row.usage.value}) {
    out += ',' + std::to_string(points);
  }
  for (const std::size_t jobs : {row.running, row.pending}) out += ',' + std::to_string(jobs);
  for (const double level : row.levels) out += ',' + number_text(level);
  out += '\n';
}

void ReplayChart::add_instant(const ReplayInstant& instant) {
  ChartRow row = chart_row(instant);
  const bool is_close = !rows_.empty() && row.t / grain_ == rows_.back().t / grain_;
  // To ask takes a look at every job in line.
  if (!is_close || rows_.back().limit.empty()) row.limit = limit_of(instant);
  if (rows_.empty()) {
    rows_.push_back(std::move(row));
    return;
  }
  if (is_close) return merge(rows_.back(), row);
  if (same_values(row, rows_.back())) return;
  rows_.push_back(std::move(row));
  if (rows_.size() >= most_rows_) thin_out();
}

void ReplayChart::end(Duration at) {
  if (rows_.empty() || rows_.back().t >= at) return;
  rows_.push_back(rows_.back());
  rows_.back().t = at;
}

void ReplayChart::thin_out() {
  while (rows_.size() > most_rows_ / 2) {
    grain_ *= 2;
    std::vector<ChartRow> kept;
    for (ChartRow& row : rows_) {
      if (!kept.empty() && kept.back().t / grain_ == row.t / grain_) {
        merge(kept.back(), row);
      } else {
        kept.push_back(std::move(row));
      }
    }
    rows_ = std::move(kept);
  }
}

}  // namespace sluice::cli
