#include "cli/history_errors.h"

#include <algorithm>
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

std::string unjudged_sentence(std::uint64_t unjudged) {
  if (unjudged == 0) return "";
  return (unjudged == 1 ? "1 run" : std::to_string(unjudged) + " runs") +
         " could not be judged: the start, or the end with what was used, is not on record.\n";
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
    ends_unseen_ = 0;
  } else if (const auto* job = std::get_if<record::JobSubmitted>(&dated.entry)) {
    submit(*job);
  } else if (const auto* again = std::get_if<record::JobRestated>(&dated.entry)) {
    restate(again->submitted);
  } else if (const auto* started = std::get_if<record::JobStarted>(&dated.entry)) {
    start(when, *started);
  } else if (const auto* end_of_job = std::get_if<record::JobFinished>(&dated.entry)) {
    end(when, *end_of_job, side);
  } else if (std::holds_alternative<record::Gap>(dated.entry)) {
    lose_all(side);
  } else if (const auto* event = std::get_if<record::DaemonEvent>(&dated.entry)) {
    happen(*event, side);
  }
}

std::uint64_t PredictedRuns::unjudged() const {
  const auto is_lost = [](const auto& each) {
    return each.second.start && each.second.lost == Side::within;
  };
  return unjudged_ + static_cast<std::uint64_t>(std::ranges::count_if(running_, is_lost));
}

void PredictedRuns::submit(const record::JobSubmitted& job) {
  Running& running = running_[job.job.value];
  // A number may be given again.
  if (running.start && running.lost == Side::within) ++unjudged_;
  running = {.kind = {job.user, job.key.text}};
  const auto parent = running_.find(job.parent.value);
  if (parent != running_.end()) parent->second.has_children = true;
}

/// What is expected of it now need not be what was expected at its start: a daemon that takes it
/// over predicts it once more.
void PredictedRuns::restate(const record::JobSubmitted& job) {
  const auto [found, is_new] = running_.try_emplace(job.job.value);
  if (is_new) found->second.kind = {job.user, job.key.text};
  found->second.lost.reset();
}

void PredictedRuns::start(const When& when, const record::JobStarted& start) {
  Running& running = running_[start.job.value];
  const auto known = measured_.find(running.kind);
  running.earlier = known == measured_.end() ? 0 : known->second;
  running.start = {when, start};
  running.lost.reset();
}

void PredictedRuns::end(const When& when, const record::JobFinished& facts, Side side) {
  const auto found = running_.find(facts.job.value);
  const bool has_started = found != running_.end() && found->second.start;
  const std::uint64_t in_span = side == Side::within ? 1 : 0;
  if (const auto outcome = shown_outcome(facts)) {
    if (has_started) count(found->second, when, facts, *outcome, side);
    // Only a job that ran was measured.
    if (!has_started) unjudged_ += in_span;
  } else if (has_started && is_stopping_ && found->second.lost) {
    return;  // It ended while no daemon ran.
  } else if (has_started && is_stopping_ && facts.ended_by == "connection") {
    found->second.lost = side;  // Unless the next daemon takes it over.
    return;
  } else if (has_started && !facts.measured) {
    ends_unseen_ += in_span;
  }
  if (found != running_.end()) running_.erase(found);
}

void PredictedRuns::count(const Running& running, const When& when,
                          const record::JobFinished& facts, Outcome outcome, Side side) {
  ++measured_[running.kind];
  if (side != Side::within) return;
  // The daemon that took it over has seen only the rest of how much it held beside its children.
  if (running.was_taken_over && running.has_children) {
    ++unjudged_;
    return;
  }
  const record::JobStarted& start = running.start->facts;
  PredictedRun& run = ended_.emplace_back();
  run.key = running.kind.second;
  run.earlier = running.earlier;
  run.outcome = outcome;
  run.expected_memory = start.expected_memory;
  run.peak = facts.peak;
  run.expected_time = start.expected_time;
  run.wall = facts.wall;
  run.expected_cores = record::from_thousandths(start.expected_millicores);
  run.cores = busy_cores_of(facts);
  run.kept = start.kept;
  run.held = between(running.start->when, when);
}

void PredictedRuns::happen(const record::DaemonEvent& event, Side side) {
  if (event.what == "stopping") is_stopping_ = true;
  if (event.what == "started") begin_daemon(event, side);
}

/// A daemon records the ends of jobs that it does not find before its own start, in the segment
/// that it begins: they ended while none ran.
void PredictedRuns::begin_daemon(const record::DaemonEvent& started, Side side) {
  is_stopping_ = false;
  unjudged_ += std::exchange(ends_unseen_, 0);
  lose_all(side);
  for (auto& [number, running] : running_) {
    running.was_taken_over = running.was_taken_over || running.start.has_value();
  }
  for (const JobId each : started.jobs.value_or(std::vector<JobId>{})) {
    const auto found = running_.find(each.value);
    if (found != running_.end()) found->second.lost.reset();
  }
}

void PredictedRuns::lose_all(Side side) {
  for (auto& [number, running] : running_) {
    if (!running.lost) running.lost = side;
  }
}

std::string errors_text(const PredictionErrors& errors, ErrorRows rows, std::uint64_t unjudged) {
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
  return aligned(table) + "\n" + conclusion(errors) + unjudged_sentence(unjudged);
}

std::string errors_json(const PredictionErrors& errors, std::uint64_t unjudged) {
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
  json.member("unjudged", unjudged).end_object();
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
              << " (sluice record list shows its span)\n"
              << unjudged_sentence(runs.unjudged());
    return 2;
  }
  const PredictionErrors errors = errors_of(runs.ended());
  const std::uint64_t unjudged = runs.unjudged();
  std::cout << (query.print == ErrorsQuery::Print::json
                    ? errors_json(errors, unjudged)
                    : errors_text(errors, query.rows, unjudged));
  return 0;
}

}  // namespace sluice::cli
