#include "cli/whatif/model_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/seconds.h"
#include "cli/replay/run.h"

namespace sluice::cli {

Duration wait_percentile(const RunFigures& figures, double part) {
  std::vector<Duration> waits;
  for (const auto& [job, wait] : figures.waits) waits.push_back(wait);
  if (waits.empty()) return Duration{0};
  const double rank = std::ceil(part * static_cast<double>(waits.size()));
  const auto at = waits.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::ranges::nth_element(waits, at);
  return *at;
}

void FigureSink::add_record(const ReplayRecord& record) {
  switch (record.event) {
    case ReplayEvent::submitted:
      ++came_;
      waiting_.insert_or_assign(std::string(record.job), record.t);
      return;
    case ReplayEvent::admitted:
      if (const auto found = waiting_.find(record.job); found != waiting_.end()) {
        figures_.waits[found->first] = record.t - found->second;
        waiting_.erase(found);
      } else {
        ++came_;
      }
      return;
    case ReplayEvent::cancelled:
    case ReplayEvent::deduplicated:
      waiting_.erase(std::string(record.job));
      return;
    case ReplayEvent::finished:
      if (record.outcome == Outcome::oom) ++figures_.killed;
      figures_.makespan = record.t;
      busy_at_end_ = busy_seconds_ + last_busy_ * to_seconds(record.t - last_);
      return;
    case ReplayEvent::refused:
    case ReplayEvent::window:
    case ReplayEvent::registered:
    case ReplayEvent::deregistered:
      return;
  }
}

void FigureSink::add_instant(const ReplayInstant& instant) {
  busy_seconds_ += last_busy_ * to_seconds(instant.t - last_);
  last_ = instant.t;
  last_busy_ = instant.cpu ? instant.cpu->busy : 0;
}

RunFigures FigureSink::figures(std::size_t jobs) && {
  figures_.never = waiting_.size() + (jobs - std::min(jobs, came_));
  const double seconds = to_seconds(figures_.makespan);
  if (seconds > 0) figures_.busy = std::min(busy_at_end_ / seconds, 1.0);
  return std::move(figures_);
}

std::variant<RunFigures, ConfigError> run_model(const Scenario& scenario) {
  FigureSink figures;
  ReplaySink sink;
  sink.on_record = [&](const ReplayRecord& record) { figures.add_record(record); };
  sink.on_instant = [&](const ReplayInstant& instant) { figures.add_instant(instant); };
  const auto error = run_replay(scenario, jobs_from(scenario.jobs), scenario.file, sink);
  if (error) return *error;
  return std::move(figures).figures(scenario.jobs.size());
}

}  // namespace sluice::cli
