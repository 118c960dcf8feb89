#include "cli/history_errors.h"

#include <cmath>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/seconds.h"
#include "base/text.h"
#include "cli/terminal/terminal.h"

namespace sluice::cli {
namespace {

/// nullopt if its end does not show what it needed.
std::optional<Outcome> shown_outcome(const record::JobFinished& facts) {
  for (const Outcome outcome : {Outcome::ok, Outcome::failed, Outcome::oom}) {
    if (facts.outcome != to_string(outcome)) continue;
    const bool is_reported = facts.ended_by == "finish" || outcome == Outcome::oom;
    return facts.measured && is_reported ? std::optional(outcome) : std::nullopt;
  }
  return std::nullopt;
}

/// As they are predicted: with the time in which it waited for a CPU.
double busy_cores_of(const record::JobFinished& facts) {
  const double wall = to_seconds(facts.wall);
  return wall > 0 ? to_seconds(facts.cpu + facts.cpu_delay) / wall : 0;
}

using ErrorsRow = std::vector<std::string>;

constexpr std::size_t kWorst = 20;

std::string percentiles_text(const std::vector<double>& ratios) {
  if (ratios.empty()) return "-";
  const Percentiles ratio = percentiles_of(ratios);
  return number_text(ratio.median, 2) + " (" + number_text(ratio.p5, 2) + "-" +
         number_text(ratio.p95, 2) + ")";
}

double part_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

double share_above(const KeptMemory& kept) {
  return part_of(static_cast<double>(kept.above), static_cast<double>(kept.runs));
}

/// "20.0%" or "0.41%": rare events need their digits.
std::string percent(double ratio) { return number_text(100 * ratio, ratio < 0.1 ? 2 : 1) + "%"; }

ErrorsRow row_of(std::string name, std::string runs, std::string cold, const RunErrors& errors) {
  const KeptMemory& kept = errors.memory_kept;
  const bool is_kept = kept.runs > 0;
  return {std::move(name),
          std::move(runs),
          std::move(cold),
          is_kept ? std::to_string(kept.above) : "-",
          is_kept ? percent(share_above(kept)) : "-",
          is_kept ? bytes_text(kept.byte_seconds) + "·s" : "-",
          is_kept ? percent_text(part_of(kept.unused, kept.byte_seconds)) : "-",
          percentiles_text(errors.memory),
          percentiles_text(errors.cores),
          percentiles_text(errors.time)};
}

ErrorsRow row_of(std::string name, const PredictionErrors::OfKey& each) {
  return row_of(std::move(name), std::to_string(each.warm.runs), std::to_string(each.cold.runs),
                each.warm);
}

std::string conclusion(const PredictionErrors& errors) {
  const KeptMemory& kept = errors.warm.memory_kept;
  if (kept.runs == 0) {
    return "No warm run had memory kept for it: none was predicted by " +
           std::to_string(PredictedRun::kWarm) + " runs of its key.\n";
  }
  const Interval interval = wilson(kept.above, kept.runs);
  return std::to_string(kept.above) + " of " + std::to_string(kept.runs) +
         " warm peaks were above the memory kept for them, " + percent(share_above(kept)) +
         " (95% interval: " + percent(interval.low) + " to " + percent(interval.high) + "), and " +
         percent_text(part_of(kept.unused, kept.byte_seconds)) +
         " of the memory kept was never used.\n";
}

void write_percentiles(JsonWriter& json, std::string_view name, const std::vector<double>& ratios) {
  json.member(name, ratios.empty() ? nullptr : &ratios, [&](const std::vector<double>& known) {
    const Percentiles ratio = percentiles_of(known);
    json.begin_object().member("p5", ratio.p5).member("median", ratio.median);
    json.member("p95", ratio.p95).end_object();
  });
}

void write_errors(JsonWriter& json, std::string_view name, const RunErrors& errors) {
  const KeptMemory& kept = errors.memory_kept;
  const Interval interval = wilson(kept.above, kept.runs);
  json.key(name).begin_object().member("runs", errors.runs).key("used_by_expected").begin_object();
  write_percentiles(json, "memory", errors.memory);
  write_percentiles(json, "cores", errors.cores);
  write_percentiles(json, "time", errors.time);
  json.end_object().key("kept").begin_object().member("runs", kept.runs);
  json.member("above", kept.above).member("above_ratio", share_above(kept));
  json.member("above_low", interval.low).member("above_high", interval.high);
  json.member("byte_seconds", std::llround(kept.byte_seconds));
  json.member("unused_byte_seconds", std::llround(kept.unused)).end_object().end_object();
}

}  // namespace

void PredictedRuns::add(const record::Dated& dated, Side side) {
  const When when{dated.at, dated.wall, boots_};
  if (const auto* segment = std::get_if<record::SegmentStart>(&dated.entry)) {
    if (segment->boot != boot_) ++boots_;
    boot_ = segment->boot;
  } else if (const auto* job = std::get_if<record::JobSubmitted>(&dated.entry)) {
    running_[job->job.value] = {{job->user, job->key.text}, std::nullopt};
  } else if (const auto* again = std::get_if<record::JobRestated>(&dated.entry)) {
    const record::JobSubmitted& known = again->submitted;
    running_.try_emplace(known.job.value, Running{{known.user, known.key.text}, std::nullopt});
  } else if (const auto* start = std::get_if<record::JobStarted>(&dated.entry)) {
    Running& running = running_[start->job.value];
    const auto known = measured_.find(running.kind);
    running.earlier = known == measured_.end() ? 0 : known->second;
    running.start = {when, *start};
  } else if (const auto* end_of_job = std::get_if<record::JobFinished>(&dated.entry)) {
    end(when, *end_of_job, side);
  }
}

void PredictedRuns::end(const When& when, const record::JobFinished& facts, Side side) {
  const auto found = running_.extract(facts.job.value);
  const auto outcome = shown_outcome(facts);
  if (found.empty() || !found.mapped().start || !outcome) return;
  const auto& [kind, start, earlier] = found.mapped();
  ++measured_[kind];
  if (side != Side::within) return;
  PredictedRun& run = ended_.emplace_back();
  run.key = kind.second;
  run.earlier = earlier;
  run.outcome = *outcome;
  run.expected_memory = start->facts.expected_memory;
  run.peak = facts.peak;
  run.expected_time = start->facts.expected_time;
  run.wall = facts.wall;
  run.expected_cores = record::from_thousandths(start->facts.expected_millicores);
  run.cores = busy_cores_of(facts);
  run.kept = start->facts.kept;
  run.held = between(start->when, when);
}

std::string errors_text(const PredictionErrors& errors, ErrorRows rows) {
  std::vector<ErrorsRow> table{
      {"KEY", "RUNS", "COLD", "ABOVE", "", "KEPT", "UNUSED", "MEMORY", "CORES", "TIME"}};
  const bool is_cut = rows == ErrorRows::worst && errors.keys.size() > kWorst + 1;
  const std::size_t shown = is_cut ? kWorst : errors.keys.size();
  PredictionErrors::OfKey rest, all{"", errors.warm, errors.cold};
  for (std::size_t at = 0; at < errors.keys.size(); ++at) {
    const PredictionErrors::OfKey& each = errors.keys[at];
    if (at < shown) {
      table.push_back(row_of(each.key.empty() ? "(without a key)" : harmless(each.key), each));
    } else {
      rest.warm.add(each.warm);
      rest.cold.add(each.cold);
    }
  }
  if (is_cut) {
    table.push_back(
        row_of("(" + std::to_string(errors.keys.size() - shown) + " more keys, see --all)", rest));
  }
  table.push_back(row_of("(all)", all));
  if (errors.cold.runs > 0) {
    table.push_back(row_of("(cold runs)", "", std::to_string(errors.cold.runs), errors.cold));
  }
  return aligned(table) + "\n" + conclusion(errors);
}

std::string errors_json(const PredictionErrors& errors) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().list("keys", errors.keys, [&](const PredictionErrors::OfKey& each) {
    json.begin_object().member("key", each.key);
    write_errors(json, "warm", each.warm);
    write_errors(json, "cold", each.cold);
    json.end_object();
  });
  write_errors(json, "warm", errors.warm);
  write_errors(json, "cold", errors.cold);
  json.end_object();
  return text + "\n";
}

int show_errors(const ErrorsQuery& query) {
  const Span span = span_asked_for(query.from, query.to);
  const record::RecordFolder folder = open_record(query.place);
  PredictedRuns runs;
  read_part(folder, span, [&](const auto& each, Side side) { runs.add(each, side); });
  if (runs.ended().empty()) {
    std::cerr << "sluice history: the record in " << folder.path()
              << " has no measured job that ended"
              << (query.from.empty() && query.to.empty() ? "" : " then")
              << " (sluice record list shows its span)\n";
    return 2;
  }
  const PredictionErrors errors = errors_of(runs.ended());
  std::cout << (query.print == ErrorsQuery::Print::json ? errors_json(errors)
                                                        : errors_text(errors, query.rows));
  return 0;
}

}  // namespace sluice::cli
