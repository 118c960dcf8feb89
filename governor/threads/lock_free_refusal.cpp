#include "governor/threads/lock_free_refusal.h"

#include <algorithm>
#include <utility>

#include "governor/job_cost.h"
#include "governor/law/cpu_phases.h"
#include "governor/law/liveness.h"
#include "governor/validation/check_request.h"

namespace sluice {

void LockFreeRefusal::configure(const GovernorOptions& options, CostModel cost_model) {
  has_keys_ = !options.queueing.keys.empty();
  lets_sleepers_pass_ = options.window.law == Law::knee;
  maximum_ = options.window.maximum.value;
  cost_model_.store(&cost_models_.emplace_back(std::move(cost_model)));
  // Callers from here on use the new model; a caller still inside keeps the old ones until next
  // time.
  if (inside_cost_model_.load() > 0) return;
  while (cost_models_.size() > 1) cost_models_.pop_front();
}

std::string_view LockFreeRefusal::intern(std::string_view name) {
  const auto found = std::ranges::find(interned_, name);
  if (found != interned_.end()) return *found;
  const std::string_view kept = interned_.emplace_back(name);
  if (names_used_ < AdmissionSnapshot::kMostNames) names_[names_used_++] = kept;
  return kept;
}

void LockFreeRefusal::publish(Points usage, Points size, std::optional<Points> all_cpus,
                              const std::optional<Front>& first,
                              const std::optional<Refusal>& closed) {
  using ClosedBy = AdmissionSnapshot::ClosedBy;
  all_cpus_.store(all_cpus ? all_cpus->value : 0, std::memory_order_relaxed);
  AdmissionSnapshot snapshot{usage, size, ClosedBy::open, 0};
  if (first) {
    first_priority_.store(first->priority, std::memory_order_relaxed);
    first_id_.store(first->id.value, std::memory_order_relaxed);
    snapshot.closed_by = ClosedBy::queue;
  }
  if (closed && closed->code == RefusalCode::draining) snapshot.closed_by = ClosedBy::draining;
  if (closed && closed->code == RefusalCode::paused) snapshot.closed_by = ClosedBy::paused;
  if (closed && closed->code == RefusalCode::sensor) {
    snapshot.closed_by = ClosedBy::sensor;
    const auto end = names_.begin() + names_used_;
    const auto found = std::find(names_.begin() + 1, end, closed->binding);
    if (found != end) snapshot.name = static_cast<std::uint16_t>(found - names_.begin());
  }
  snapshot_.store(pack(snapshot), std::memory_order_release);
}

Prediction LockFreeRefusal::predict(const JobRequest& job) {
  struct Visit {
    explicit Visit(std::atomic<int>& visitors) : inside(visitors) { ++inside; }
    ~Visit() { --inside; }
    std::atomic<int>& inside;
  };
  const Visit visit(inside_cost_model_);
  return (*cost_model_.load())(job);
}

bool LockFreeRefusal::try_refuse(const JobRequest& job, Refusal& refusal) {
  if (!refuse(job, refusal)) return false;
  refused_[static_cast<std::size_t>(refusal.code)].fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool LockFreeRefusal::refuse(const JobRequest& job, Refusal& refusal) {
  // The snapshot covers the window only, and a key's definition may change cost and priority.
  const bool may_refuse = job.parent == JobId{} && has_possible_numbers(job) &&
                          !has_keys_.load(std::memory_order_relaxed);
  if (!may_refuse) return false;
  const Points maximum{maximum_.load(std::memory_order_relaxed)};
  Points cost;
  if (job.cost) {
    cost = *job.cost;
  } else {
    const Prediction predicted = predict(job);
    const bool sleepers_pass = lets_sleepers_pass_.load(std::memory_order_relaxed);
    if (sleepers_pass && begins_asleep(predicted)) return false;
    const std::int64_t all_cpus = all_cpus_.load(std::memory_order_relaxed);
    cost = cost_within(predicted, maximum,
                       all_cpus > 0 ? std::optional(Points{all_cpus}) : std::nullopt);
  }
  if (cost > maximum) return false;
  const AdmissionSnapshot snapshot = unpack(snapshot_.load(std::memory_order_acquire));
  refusal.cost = cost;
  refusal.usage = snapshot.usage;
  refusal.size = snapshot.size;
  const auto because = [&](RefusalCode code, std::string_view binding) {
    refusal.code = code;
    refusal.binding = binding;
    return true;
  };
  switch (snapshot.closed_by) {
    case AdmissionSnapshot::ClosedBy::open:
      break;
    case AdmissionSnapshot::ClosedBy::sensor:
      return snapshot.name > 0 && because(RefusalCode::sensor, names_[snapshot.name]);
    case AdmissionSnapshot::ClosedBy::paused:
      return because(RefusalCode::paused, "pause");
    case AdmissionSnapshot::ClosedBy::draining:
      return because(RefusalCode::draining, "draining");
    case AdmissionSnapshot::ClosedBy::queue:
      if (job.priority.value_or(0) > first_priority_.load(std::memory_order_relaxed)) break;
      refusal.ahead = JobId{first_id_.load(std::memory_order_relaxed)};
      return because(RefusalCode::behind, "behind");
  }
  const bool fits = nothing_runs(snapshot.usage) || snapshot.usage + cost <= snapshot.size;
  if (fits) return false;
  if (!refused_for_window_.load(std::memory_order_relaxed)) refused_for_window_ = true;
  return because(RefusalCode::window, "window");
}

void LockFreeRefusal::add_to(Counters& counters) const {
  for (std::size_t code = 0; code < kRefusalCodes; ++code) {
    counters.rejected[code] += refused_[code].load(std::memory_order_relaxed);
  }
}

}  // namespace sluice
