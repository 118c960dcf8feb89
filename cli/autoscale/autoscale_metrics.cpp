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

void AutoscaleMetrics::record_round(const ReconcileResult& round, const Instant& instant) {
  const std::lock_guard lock(mutex_);
  facts_.blind = !why_blind(round).empty();
  facts_.last_observed_unix = to_seconds(instant.wall.time_since_epoch());
  facts_.desired = round.desired;
  const std::string reason = autoscale_reason(round);
  for (auto& [name, count] : facts_.decisions) count += name == reason ? 1 : 0;
  facts_.added += round.added.size() + static_cast<std::uint64_t>(round.added_pods);
  facts_.removed += round.removed.size();
  facts_.drained += round.drained.size();
  facts_.kept += round.kept.size();
  facts_.failed_adds += static_cast<std::uint64_t>(round.failed_adds);
  facts_.failed_drains += static_cast<std::uint64_t>(round.failed_drains);
  facts_.failed_removes += static_cast<std::uint64_t>(round.failed_removes);
  if (round.fleet.blind.empty()) note_fleet(round);
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
void AutoscaleMetrics::note_fleet(const ReconcileResult& round) {
  const ScaleNumbers& numbers = round.decision.numbers;
  facts_.executors = {{"running", numbers.executors - numbers.booting - round.unseen},
                      {"booting", numbers.booting},
                      {"draining", numbers.draining},
                      {"not_seen", round.unseen}};
  facts_.queued_jobs = queued_jobs(round.observation);
  facts_.running_jobs = running_jobs(round.fleet);
  facts_.points = numbers.slots;
  facts_.usage = numbers.usage.value;
  facts_.oldest_wait = to_seconds(numbers.waited);
}

}  // namespace sluice::cli
