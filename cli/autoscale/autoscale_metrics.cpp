#include "cli/autoscale/autoscale_metrics.h"

#include "base/seconds.h"
#include "cli/autoscale/stats.h"
#include "cli/autoscale/text.h"
#include "sluice/version.h"

namespace sluice::cli {

AutoscaleMetrics::AutoscaleMetrics(const AutoscaleOptions& rules) {
  facts_.version = kVersion;
  facts_.least = rules.least();
  facts_.most = rules.most();
  for (int reason = 0; reason <= static_cast<int>(ScaleReason::done); ++reason) {
    facts_.decisions.emplace_back(std::string(name_of(static_cast<ScaleReason>(reason))), 0);
  }
}

void AutoscaleMetrics::record(const ReconcileResult& result, const Instant& instant) {
  const std::lock_guard lock(mutex_);
  facts_.blind = !why_blind(result).empty();
  facts_.last_observed_unix = to_seconds(instant.wall.time_since_epoch());
  facts_.desired = result.desired;
  const std::string reason = autoscale_reason(result);
  for (auto& [name, count] : facts_.decisions) count += name == reason ? 1 : 0;
  facts_.added += result.added.size() + static_cast<std::uint64_t>(result.added_pods);
  facts_.removed += result.removed.size();
  facts_.drained += result.drained.size();
  facts_.kept += result.kept.size();
  facts_.failed_adds += static_cast<std::uint64_t>(result.failed_adds);
  facts_.failed_drains += static_cast<std::uint64_t>(result.failed_drains);
  facts_.failed_removes += static_cast<std::uint64_t>(result.failed_removes);
  if (result.fleet.blind.empty()) note_fleet(result);
}

void AutoscaleMetrics::state_failed() {
  const std::lock_guard lock(mutex_);
  ++facts_.state_failures;
}

std::string AutoscaleMetrics::page() const {
  const std::lock_guard lock(mutex_);
  return autoscale_text(facts_);
}

/// Executors that were not seen are reported as such.
void AutoscaleMetrics::note_fleet(const ReconcileResult& result) {
  const ScaleNumbers& numbers = result.decision.numbers;
  facts_.executors = {{"running", numbers.executors - numbers.booting - result.unseen},
                      {"booting", numbers.booting},
                      {"draining", numbers.draining},
                      {"not_seen", result.unseen}};
  facts_.queued_jobs = queued_jobs(result.observation);
  facts_.running_jobs = running_jobs(result.fleet);
  facts_.points = numbers.slots;
  facts_.usage = numbers.usage.value;
  facts_.oldest_wait = to_seconds(numbers.waited);
}

}  // namespace sluice::cli
