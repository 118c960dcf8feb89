#include "cli/whatif/comparison.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "base/text.h"
#include "cli/record/moment.h"
#include "cli/terminal/gnuplot.h"
#include "cli/terminal/terminal.h"
#include "status/wall_time.h"

namespace sluice::cli {
namespace {

constexpr double kP50 = 0.5, kP95 = 0.95;
constexpr std::size_t kMostName = 44;
/// Curves that a reader can tell apart.
constexpr std::size_t kMostCurves = 8;

/// Waits within a build are milliseconds.
std::string time_text(Duration duration) {
  return duration_text(duration, Precision::milliseconds);
}

std::string wait_text(const RunFigures& figures, double part) {
  return figures.waits.empty() ? "-" : time_text(wait_percentile(figures, part));
}

bool is_modelled(const ComparedRow& row) { return row.failure.empty(); }

/// The row before it says what happened.
constexpr std::size_t kFirstModelled = 1;

/// Rows of the table: what happened, the model of it, the variants.
std::vector<ComparedRow> all_rows(const Comparison& comparison) {
  std::vector<ComparedRow> rows{{"recorded", comparison.recorded.recorded}};
  if (comparison.model || !comparison.model_failure.empty()) {
    rows.push_back(
        {"model of the same", comparison.model.value_or(RunFigures{}), comparison.model_failure});
  }
  rows.insert(rows.end(), comparison.rows.begin(), comparison.rows.end());
  return rows;
}

/// The index of the best modelled row; the recorded configuration has one, unless it is unknown.
/// nullopt if only one was modelled.
std::optional<std::size_t> best_in_table(const std::vector<ComparedRow>& table) {
  const auto rows = std::span(table).subspan(kFirstModelled);
  if (std::ranges::count_if(rows, is_modelled) <= 1) return std::nullopt;
  return kFirstModelled + *best_of(rows);
}

std::string failed_columns() {
  std::string text;
  for (const std::size_t width : {12, 12, 12, 13, 8, 8, 8}) text += padded_left("-", width);
  return text + "  failed\n";
}

std::string failures_text(const std::vector<ComparedRow>& rows) {
  std::string text;
  for (const ComparedRow& each : rows) {
    if (is_modelled(each)) continue;
    text += harmless(each.name) + " failed: " + harmless(each.failure) + ".\n";
  }
  return text;
}

std::string line_of(const ComparedRow& row, std::size_t name, bool is_best) {
  const RunFigures& figures = row.figures;
  const std::string named = padded(cut(harmless(row.name), name), name);
  if (!is_modelled(row)) return named + failed_columns();
  return named + padded_left(wait_text(figures, kP50), 12) +
         padded_left(wait_text(figures, kP95), 12) + padded_left(wait_text(figures, 1), 12) +
         padded_left(time_text(figures.makespan), 13) +
         padded_left(figures.busy ? percent_text(*figures.busy) : "-", 8) +
         padded_left(std::to_string(figures.killed), 8) +
         padded_left(std::to_string(figures.never), 8) + (is_best ? "  best" : "") + "\n";
}

std::string caveats(const RecordedScenario& recorded) {
  std::string text;
  const auto say = [&](std::uint64_t count, const char* one, const char* many) {
    if (count == 0) return;
    text += (text.empty() ? "" : "; ") + std::to_string(count) + (count == 1 ? one : many);
  };
  say(recorded.unmeasured, " job was not measured and takes time only",
      " jobs were not measured and take time only");
  say(recorded.unfinished, " still ran at the end", " still ran at the end");
  say(recorded.lost_ends, " ends where the record broke off: its end is not on record",
      " end where the record broke off: their ends are not on record");
  say(recorded.left_out, " had not started by then and is left out",
      " had not started by then and are left out");
  say(recorded.lost, " entry of the record is missing", " entries of the record are missing");
  return text.empty() ? "" : text + ".\n";
}

std::string error_text(const RunFigures& recorded, const RunFigures& model) {
  if (recorded.waits.empty() || model.waits.empty()) {
    return "The model's error is unknown: no job starts both in the record and in the model.\n";
  }
  const ModelError error = model_error(recorded, model);
  const auto one = [](std::optional<double> part, Duration time) {
    const std::string sign = time < Duration{0} ? "-" : "+";
    return sign + time_text(std::chrono::abs(time)) +
           (part ? " (" + sign + percent_text(std::abs(*part)) + ")" : "");
  };
  return "The model's error: " + one(error.median, error.median_time) + " in the median wait, " +
         one(error.p95, error.p95_time) + " in the 95th percentile.\n";
}

void add_figures(JsonWriter& json, const RunFigures& figures) {
  const auto percentile = [&](double part) {
    return figures.waits.empty() ? std::nullopt : std::optional(wait_percentile(figures, part));
  };
  json.key("waits").begin_object().member("jobs", figures.waits.size());
  json.member("p50_seconds", percentile(kP50)).member("p95_seconds", percentile(kP95));
  json.member("max_seconds", percentile(1)).end_object();
  json.member("makespan_seconds", figures.makespan).member("busy_ratio", figures.busy);
  json.member("killed_for_memory", figures.killed).member("never_started", figures.never);
}

/// A variant; all figures of one that failed are null.
void add_variant(JsonWriter& json, const ComparedRow& row) {
  json.begin_object().member("name", row.name);
  const std::optional<std::string> failure(row.failure);
  json.member("failure", is_modelled(row) ? std::nullopt : failure);
  if (is_modelled(row)) {
    add_figures(json, row.figures);
  } else {
    for (const char* figure :
         {"waits", "makespan_seconds", "busy_ratio", "killed_for_memory", "never_started"}) {
      json.member(figure, std::optional<double>());
    }
  }
  json.end_object();
}

std::optional<double> relative(Duration difference, Duration of) {
  if (of > Duration{0}) return to_seconds(difference) / to_seconds(of);
  return difference == Duration{0} ? std::optional(0.0) : std::nullopt;
}

}  // namespace

ModelError model_error(const RunFigures& recorded, const RunFigures& model) {
  ModelError error;
  if (recorded.waits.empty() || model.waits.empty()) return error;
  const Duration median = wait_percentile(recorded, kP50), p95 = wait_percentile(recorded, kP95);
  error.median_time = wait_percentile(model, kP50) - median;
  error.p95_time = wait_percentile(model, kP95) - p95;
  error.median = relative(error.median_time, median);
  error.p95 = relative(error.p95_time, p95);
  return error;
}

bool has_failures(const Comparison& comparison) {
  return !comparison.model_failure.empty() || !std::ranges::all_of(comparison.rows, is_modelled);
}

std::optional<std::size_t> best_of(std::span<const ComparedRow> rows) {
  const auto rank = [](const ComparedRow& row) {
    return std::tuple(!is_modelled(row), row.figures.killed, row.figures.never,
                      wait_percentile(row.figures, kP95), wait_percentile(row.figures, kP50));
  };
  const auto best = std::ranges::min_element(rows, {}, rank);
  if (best == rows.end() || !is_modelled(*best)) return std::nullopt;
  return static_cast<std::size_t>(best - rows.begin());
}

std::string comparison_text(const Comparison& comparison) {
  const RecordedScenario& recorded = comparison.recorded;
  const std::vector<ComparedRow> rows = all_rows(comparison);
  std::size_t name = 9;
  for (const ComparedRow& each : rows) {
    name = std::min(std::max(name, columns_of(harmless(each.name))), kMostName);
  }
  std::string text = count_text(recorded.jobs, "job") + ", " + local_time(recorded.from) + " to " +
                     local_time(recorded.to) + "\n\n";
  text += padded("", name) + padded_left("wait p50", 12) + padded_left("p95", 12) +
          padded_left("max", 12) + padded_left("makespan", 13) + padded_left("busy", 8) +
          padded_left("killed", 8) + padded_left("never", 8) + "\n";
  const auto best = best_in_table(rows);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    text += line_of(rows[index], name, index == best);
  }
  text += "\n";
  if (comparison.model) text += error_text(recorded.recorded, *comparison.model);
  text += failures_text(rows) + caveats(recorded);
  for (const std::string& each : comparison.remarks) text += harmless(each) + ".\n";
  return text;
}

std::string comparison_json(const Comparison& comparison) {
  const RecordedScenario& recorded = comparison.recorded;
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("record", comparison.record);
  json.member("from", rfc3339(recorded.from)).member("to", rfc3339(recorded.to));
  json.member("jobs", recorded.jobs).member("unmeasured", recorded.unmeasured);
  json.member("unfinished", recorded.unfinished).member("lost_ends", recorded.lost_ends);
  json.member("left_out", recorded.left_out).member("lost", recorded.lost);
  json.key("recorded").begin_object();
  add_figures(json, recorded.recorded);
  json.end_object().member("model", comparison.model, [&](const RunFigures& model) {
    const ModelError error = model_error(recorded.recorded, model);
    json.begin_object();
    add_figures(json, model);
    const bool is_known = !recorded.recorded.waits.empty() && !model.waits.empty();
    const auto seconds = [&](Duration time) {
      return is_known ? std::optional(time) : std::nullopt;
    };
    json.key("error").begin_object();
    json.member("p50_seconds", seconds(error.median_time)).member("p50_ratio", error.median);
    json.member("p95_seconds", seconds(error.p95_time)).member("p95_ratio", error.p95);
    json.end_object().end_object();
  });
  const std::string& failure = comparison.model_failure;
  json.member("model_failure", failure.empty() ? std::nullopt : std::optional(failure));
  json.list("variants", comparison.rows, [&](const ComparedRow& each) { add_variant(json, each); });
  const std::vector<ComparedRow> table = all_rows(comparison);
  json.member("best", best_in_table(table), [&](std::size_t best) { return table[best].name; });
  json.member("remarks", comparison.remarks).end_object();
  return text + "\n";
}

std::string waits_plot(const Comparison& comparison, const std::string& picture) {
  std::vector<ComparedRow> rows = all_rows(comparison);
  std::erase_if(rows, [](const ComparedRow& row) { return !is_modelled(row); });
  if (rows.size() > kMostCurves) rows.resize(kMostCurves);
  std::string data, curves;
  for (std::size_t index = 0; index < rows.size(); ++index) {
    std::vector<Duration> waits;
    for (const auto& [job, wait] : rows[index].figures.waits) waits.push_back(wait);
    std::ranges::sort(waits);
    const std::string block = "$waits" + std::to_string(index);
    data += block + " << EOD\n0 0\n";
    // At most 500 points: more than a picture shows.
    const std::size_t step = waits.size() / 500 + 1;
    for (std::size_t at = 0; at < waits.size(); ++at) {
      if ((at + 1) % step != 0 && at + 1 != waits.size()) continue;
      const double part = 100 * static_cast<double>(at + 1) / static_cast<double>(waits.size());
      data += std::to_string(to_seconds(waits[at])) + " " + std::to_string(part) + "\n";
    }
    data += "EOD\n";
    curves += (curves.empty() ? "plot " : ", ") + block + " using 1:2 with steps linewidth 2 " +
              (index == 0 ? "dashtype 2 linecolor rgb \"#555555\" " : "") + "title " +
              gnuplot_quoted(harmless(rows[index].name));
  }
  return gnuplot_terminal(picture, "1000,560", 11) + "set output " + gnuplot_quoted(picture) +
         "\nset key right bottom noenhanced\nset grid\nset xlabel \"wait, in seconds\"\n"
         "set ylabel \"jobs that waited at most so long, in %\"\nset yrange [0:100]\n"
         "set xrange [0:*]\n" +
         data + curves + "\n";
}

}  // namespace sluice::cli
