#include "cli/history_errors.h"

#include <iostream>

#include "base/seconds.h"
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

}  // namespace

void PredictedRuns::add(const record::Dated& dated, Side side) {
  const When when{dated.at, dated.wall, boots_};
  if (const auto* segment = std::get_if<record::SegmentStart>(&dated.entry)) {
    if (segment->boot != boot_) ++boots_;
    boot_ = segment->boot;
  } else if (const auto* job = std::get_if<record::JobSubmitted>(&dated.entry)) {
    running_[job->job.value] = {{job->user, job->key.text}, std::nullopt};
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
  run.expected_cores = static_cast<double>(start->facts.expected_millicores) / 1000;
  run.cores = busy_cores_of(facts);
  run.kept = start->facts.kept;
  run.held = between(start->when, when);
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
