#include "governor/autoscaler/windows.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace sluice {
namespace {

constexpr double kShrunk = 0.75;    ///< A window below this part of its earlier size has shrunk;
constexpr double kRegrown = 0.9;    ///< above this part it has regrown.
constexpr int kLeastWitnesses = 2;  ///< Fewest windows that count as "everywhere".

/// The part of a difference to make up after `elapsed`.
double share_of(Duration elapsed, Duration smooth) {
  if (smooth <= Duration{0}) return 1;
  const double passed = static_cast<double>(std::max(Duration{0}, elapsed).count());
  return 1 - std::exp(-passed / static_cast<double>(smooth.count()));
}

bool counts(const Executor& executor) {
  return !executor.draining && !executor.booting && executor.window > Points{0};
}

/// Finds the remembered windows of executors, which mostly come in the same order as last time.
class Recall {
 public:
  explicit Recall(std::vector<RememberedWindow>& windows) : windows_(windows) {}

  RememberedWindow* find(const std::string& id) {
    if (next_ < windows_.size() && windows_[next_].id == id) return &windows_[next_++];
    if (places_.empty()) {
      for (std::size_t i = 0; i < windows_.size(); ++i) places_.emplace(windows_[i].id, i);
    }
    const auto found = places_.find(id);
    if (found == places_.end()) return nullptr;
    next_ = found->second + 1;
    return &windows_[found->second];
  }

 private:
  std::vector<RememberedWindow>& windows_;
  std::size_t next_ = 0;
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// Whether more than half of the remembered windows are below this part of their earlier size.
bool are_most_below(double part, const std::vector<Executor>& executors,
                    std::vector<RememberedWindow>& windows) {
  Recall recall(windows);
  int known = 0, below = 0;
  for (const Executor& executor : executors) {
    const RememberedWindow* memory = counts(executor) ? recall.find(executor.id) : nullptr;
    if (memory == nullptr) continue;
    ++known;
    if (static_cast<double>(executor.window.value) < part * memory->points) ++below;
  }
  return known >= kLeastWitnesses && 2 * below > known;
}

/// The remembered windows of the executors that still exist; adds new ones if `follow`.
std::vector<RememberedWindow> renew(std::vector<RememberedWindow> old,
                                    const Observation& observation, bool follow, double share) {
  Recall recall(old);
  std::vector<RememberedWindow> renewed;
  renewed.reserve(observation.executors.size());
  for (const Executor& executor : observation.executors) {
    if (!counts(executor)) continue;
    const double now = static_cast<double>(executor.window.value);
    RememberedWindow* memory = recall.find(executor.id);
    if (memory == nullptr) {
      if (follow) renewed.push_back({executor.id, now});
      continue;
    }
    const double falling =
        follow ? memory->points + (now - memory->points) * share : memory->points;
    renewed.push_back({memory->id, std::max(now, falling)});
  }
  return renewed;
}

}  // namespace

std::optional<double> mean_window(const std::vector<Executor>& executors) {
  std::int64_t sum = 0, count = 0;
  for (const Executor& executor : executors) {
    if (!counts(executor)) continue;
    sum += executor.window.value;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum) / static_cast<double>(count);
}

AutoscaleState remember_windows(AutoscaleState state, const Observation& observation,
                                const AutoscaleOptions& options, TimePoint now) {
  const std::optional<double> mean = mean_window(observation.executors);
  if (!mean) return state;
  const double part = state.shrunk_since ? kRegrown : kShrunk;
  const bool shrunk = are_most_below(part, observation.executors, state.windows);
  const TimePoint since = state.shrunk_since.value_or(now);
  const bool held = shrunk && now - since < options.lookback;
  const bool given_up = shrunk && !held;
  const double share = state.mean ? share_of(now - state.mean_at, options.smooth) : 1;
  state.windows = renew(std::move(state.windows), observation, !held, given_up ? 1 : share);
  state.shrunk_since = held ? std::optional(since) : std::nullopt;
  if (!held || !state.mean) {
    const double before = state.mean.value_or(*mean);
    state.mean = before + (*mean - before) * share;
  }
  state.mean_at = now;
  return state;
}

}  // namespace sluice
