#pragma once

#include <string>
#include <vector>

#include "governor/autoscaler/autoscaler.h"

namespace sluice::testing {

using namespace std::chrono_literals;

/// An instant long after the autoscaler started.
inline constexpr TimePoint kNow{std::chrono::hours(1000)};

inline AutoscaleOptions starcluster_options(int max = 5) {
  AutoscaleOptions options;
  options.rules = ScaleRules::starcluster;
  options.max = max;
  return options;
}

inline AutoscaleOptions window_options(int max = 20) {
  AutoscaleOptions options;
  options.max = max;
  return options;
}

/// node001 is the master; all have been running for 10 minutes with all slots in use.
inline std::vector<Executor> nodes(int count, int slots = 8) {
  std::vector<Executor> executors;
  for (int i = 0; i < count; ++i) {
    Executor& executor = executors.emplace_back();
    executor.id = "node" + std::string(i < 9 ? "00" : i < 99 ? "0" : "") + std::to_string(i + 1);
    executor.master = i == 0;
    executor.slots = executor.used = slots;
    executor.up = 10min;
  }
  return executors;
}

inline std::vector<Executor> idle(std::vector<Executor> executors, Duration up) {
  for (Executor& executor : executors) {
    executor.used = 0;
    executor.usage = Points{0};
    executor.up = up;
  }
  return executors;
}

/// Executors with this window and this usage, in points.
inline std::vector<Executor> windows(int count, std::int64_t window, std::int64_t usage) {
  std::vector<Executor> executors = nodes(count);
  for (Executor& executor : executors) {
    executor.window = Points{window};
    executor.usage = Points{usage};
  }
  return executors;
}

inline std::vector<QueuedJob> queue(int count, Duration waited, int slots = 1,
                                    std::int64_t cost = 5) {
  return std::vector<QueuedJob>(static_cast<std::size_t>(count),
                                QueuedJob{slots, waited, false, Points{cost}});
}

inline Observation seen(std::vector<Executor> executors, std::vector<QueuedJob> queued = {}) {
  return Observation{false, std::move(executors), std::move(queued)};
}

/// "add 1", "remove node002 node001", "none".
inline std::string action_of(const ScaleDecision& decision) {
  std::string text;
  if (decision.add > 0) text = "add " + std::to_string(decision.add);
  if (!decision.remove.empty()) text += "remove";
  for (const std::string& id : decision.remove) text += " " + id;
  return text.empty() ? "none" : text;
}

/// The same with the reason: "none, fits".
inline std::string answer_of(const ScaleDecision& decision) {
  return action_of(decision) + ", " + std::string(name_of(decision.reason));
}

/// The decision long after the last change.
inline ScaleDecision decide_now(const Observation& observation, const AutoscaleOptions& options) {
  return decide(observation, start_autoscaler(TimePoint{}), options, kNow).decision;
}

}  // namespace sluice::testing
