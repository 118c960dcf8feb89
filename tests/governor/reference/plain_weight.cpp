#include <algorithm>
#include <tuple>

#include "reference/plain_core.h"
#include "reference/plain_locks.h"

// The order of a queue: priority, contention weight, arrival.

namespace sluice::reference {
namespace {

/// Added to the base for a global lock, in tenths.
constexpr int kGlobalLock = 150;

}  // namespace

/// The worst value against any running job; 0 if nothing runs.
int PlainCore::level_value(const Job& job, std::size_t level) const {
  int worst = 0;
  for (const Job& holder : running_) {
    worst = std::max(
        worst, value(options_.queueing.contention.table, job.locks[level], holder.locks[level]));
  }
  return worst;
}

/// SPV in tenths: base + the levels; base + 15 with a global lock on either side.
int PlainCore::spv(const Job& job) const {
  const int base = options_.queueing.contention.base_tenths;
  const bool global = job.request.global_lock ||
                      std::any_of(running_.begin(), running_.end(),
                                  [](const Job& holder) { return holder.request.global_lock; });
  if (global) return base + kGlobalLock;
  int sum = base;
  for (std::size_t level = 0; level < job.locks.size(); ++level) sum += level_value(job, level);
  return sum;
}

/// Age in whole ticks; never negative, even after a clock went back.
std::int64_t PlainCore::ticks(const Job& job, TimePoint now) const {
  const Duration age = std::max(now - job.arrived, Duration{0});
  return age / options_.queueing.contention.tick;
}

bool PlainCore::is_saturated(const Job& job, TimePoint now) const {
  const auto most = options_.queueing.contention.aging_ticks;
  return most && ticks(job, now) >= *most;
}

/// The weight as an exact integer: SPV x (K - age), in tenths of ticks. For jobs that do not age it
/// is their SPV; without contention it is the same for all.
std::int64_t PlainCore::aged(int spv, const Job& job, TimePoint now) const {
  const ContentionOptions& contention = options_.queueing.contention;
  if (contention.mode == ContentionMode::off) return 0;
  if (!contention.aging_ticks) return spv;
  const std::int64_t most = *contention.aging_ticks;
  return spv * (most - std::min(ticks(job, now), most));
}

/// The same for display: SPV x max(0, 1 - age / K).
double PlainCore::weight(int spv, const Job& job, TimePoint now) const {
  const ContentionOptions& contention = options_.queueing.contention;
  const auto tenths = static_cast<double>(aged(spv, job, now));
  if (!contention.aging_ticks) return tenths / 10;
  return *contention.aging_ticks == 0 ? 0 : tenths / 10 / *contention.aging_ticks;
}

std::vector<const Job*> PlainCore::in_order(const std::string& queue, TimePoint now,
                                            const std::map<JobId, int>& frozen_spv) const {
  const ContentionOptions& contention = options_.queueing.contention;
  using Rank = std::tuple<bool, int, std::int64_t, double>;
  std::vector<std::pair<Rank, const Job*>> ranked;
  for (const Job& job : pending_) {
    if (job.request.queue != queue) continue;
    const auto frozen = frozen_spv.find(job.id);
    const int worth = frozen == frozen_spv.end() ? spv(job) : frozen->second;
    const bool boosted = contention.boosts_priority && contention.mode != ContentionMode::off &&
                         is_saturated(job, now);
    // A boosted job has no weight and no priority: only its place counts.
    const Rank rank = boosted
                          ? Rank{false, 0, 0, job.place}
                          : Rank{true, -*job.request.priority, aged(worth, job, now), job.place};
    ranked.emplace_back(rank, &job);
  }
  std::ranges::sort(ranked, {}, &std::pair<Rank, const Job*>::first);
  std::vector<const Job*> order;
  for (const auto& [rank, job] : ranked) order.push_back(job);
  return order;
}

}  // namespace sluice::reference
