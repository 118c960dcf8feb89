#include "cli/whatif/model_run.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/seconds.h"
#include "cli/replay/run.h"

namespace sluice::cli {
namespace {

/// Takes the figures from a replay as it goes on.
class FigureSink {
 public:
  void add_record(const ReplayRecord& record) {
    using enum ReplayEvent;
    if (record.event == submitted) {
      ++came_;
      waiting_.insert_or_assign(std::string(record.job), record.t);
    } else if (record.event == admitted) {
      start(record);
    } else if (record.event == cancelled || record.event == deduplicated) {
      waiting_.erase(std::string(record.job));
    } else if (record.event == finished) {
      if (record.outcome == Outcome::oom) ++figures_.killed;
      figures_.makespan = record.t;
      busy_at_end_ = busy_seconds_ + last_busy_ * to_seconds(record.t - last_);
    }
  }

  void add_instant(const ReplayInstant& instant) {
    busy_seconds_ += last_busy_ * to_seconds(instant.t - last_);
    last_ = instant.t;
    last_busy_ = instant.cpu ? instant.cpu->busy : 0;
  }

  /// Call once, after the last. `jobs`: those of the scenario, which may not all have come.
  RunFigures figures(std::size_t jobs) && {
    figures_.never = waiting_.size() + (jobs - std::min(jobs, came_));
    const double seconds = to_seconds(figures_.makespan);
    if (seconds > 0) figures_.busy = std::min(busy_at_end_ / seconds, 1.0);
    return std::move(figures_);
  }

 private:
  void start(const ReplayRecord& record) {
    const auto waited = waiting_.extract(std::string(record.job));
    if (waited.empty()) {
      ++came_;
    } else {
      figures_.waits[waited.key()] = record.t - waited.mapped();
    }
  }

  RunFigures figures_;
  std::map<std::string, Duration> waiting_;
  std::size_t came_ = 0;  ///< Jobs that were submitted, or ran from the beginning.
  double busy_seconds_ = 0, last_busy_ = 0;
  double busy_at_end_ = 0;  ///< `busy_seconds_` when the last job ended.
  Duration last_{0};
};

}  // namespace

Duration wait_percentile(const RunFigures& figures, double part) {
  std::vector<Duration> waits;
  for (const auto& [job, wait] : figures.waits) waits.push_back(wait);
  if (waits.empty()) return Duration{0};
  const double rank = std::ceil(part * static_cast<double>(waits.size()));
  const auto at = waits.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::ranges::nth_element(waits, at);
  return *at;
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
