#include "autoscale/fleet_averages.h"

#include <algorithm>

namespace sluice {

void FleetAverages::observe(const FleetObservation& fleet, TimePoint now) {
  Sums more;
  for (const ExecutorObservation& executor : fleet.executors) {
    if (!executor.report) continue;
    const ExecutorReport& report = *executor.report;
    const Sums at{report.wait_seconds, report.duration_seconds, report.admitted, report.ended};
    const auto [found, fresh] = before_.try_emplace(executor.id, at);
    Sums& before = found->second;
    // When it did its earlier work is unknown.
    if (fresh) continue;
    if (at.admitted < before.admitted || at.ended < before.ended) before = Sums{};
    more.wait += std::max(0.0, at.wait - before.wait);
    more.duration += std::max(0.0, at.duration - before.duration);
    more.admitted += at.admitted - before.admitted;
    more.ended += at.ended - before.ended;
    before = at;
  }
  steps_.push_back({now, more});
  while (now - steps_.front().at > lookback_) steps_.pop_front();
  constexpr std::size_t most_remembered = 100'000;
  if (before_.size() > most_remembered) before_.clear();
}

FleetAverages::Means FleetAverages::means() const {
  Sums sums;
  for (const Step& step : steps_) {
    sums.wait += step.more.wait;
    sums.duration += step.more.duration;
    sums.admitted += step.more.admitted;
    sums.ended += step.more.ended;
  }
  Means means;
  if (sums.ended > 0) means.duration = sums.duration / static_cast<double>(sums.ended);
  if (sums.admitted > 0) means.wait = sums.wait / static_cast<double>(sums.admitted);
  return means;
}

}  // namespace sluice
