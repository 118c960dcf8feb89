#include "governor/autoscaler/scale_decision.h"

#include <cmath>

#include "base/enum_names.h"
#include "base/text.h"

namespace sluice {
namespace {

std::string points_text(double points) { return std::to_string(std::llround(points)); }

std::string demand_text(const ScaleNumbers& numbers) {
  return points_text(static_cast<double>(numbers.usage.value)) + " points in use and " +
         points_text(static_cast<double>(numbers.pending.value)) + " requested, at " +
         points_text(numbers.mean) + " points per window";
}

std::string full_text(const ScaleNumbers& numbers) {
  return std::to_string(numbers.full) + " of " + count_text(numbers.executors, "executor") +
         " full, " + points_text(static_cast<double>(numbers.pending.value)) + " points requested";
}

std::string slots_text(const ScaleNumbers& numbers) {
  return count_text(numbers.queued, "slot") + " requested, " +
         std::to_string(numbers.slots - numbers.used) + " free";
}

}  // namespace

std::string_view name_of(ScaleReason reason) {
  static constexpr EnumNames<ScaleReason::done> kNames{
      "blind",  "at_max", "not_stable", "below_min", "no_slots", "fits", "young",
      "waited", "demand", "runaway",    "at_min",    "none_due", "idle", "done"};
  return kNames.of(reason);
}

std::string why(const ScaleDecision& decision) {
  const ScaleNumbers& n = decision.numbers;
  switch (decision.reason) {
    case ScaleReason::blind:
      return n.blind > 0 ? count_text(n.blind, "executor") + " of " + std::to_string(n.executors) +
                               " could not be seen"
                         : "the data needed to decide could not be read";
    case ScaleReason::at_max:
      return count_text(n.executors + n.draining, "executor") + ", and max is " +
             std::to_string(n.max) + "; the demand is higher";
    case ScaleReason::not_stable:
      return "the next change may come in " + duration_text(n.stable_in, Precision::seconds_up);
    case ScaleReason::below_min:
      return count_text(n.executors, "executor") + ", and min is " + std::to_string(n.min);
    case ScaleReason::no_slots:
      return "jobs wait, and no executor takes work";
    case ScaleReason::fits:
      if (n.by_full) return "the demand fits: " + full_text(n);
      return n.desired > 0 ? "the demand fits: " + demand_text(n) : "it fits: " + slots_text(n);
    case ScaleReason::young:
      return slots_text(n) + ", but the longest wait is only " +
             duration_text(n.waited, Precision::seconds_up);
    case ScaleReason::waited:
      return slots_text(n) + ", and the longest wait is " +
             duration_text(n.waited, Precision::seconds_up);
    case ScaleReason::demand:
      return "the demand needs " + std::to_string(n.desired) + ": " +
             (n.by_full ? full_text(n) + ", a full one holds " + points_text(n.mean)
                        : demand_text(n));
    case ScaleReason::runaway:
      if (n.by_full) {
        return "sensors are red on most executors: more would wait for the same resource; " +
               full_text(n);
      }
      return "windows shrank everywhere at once, to " + points_text(n.mean_now) +
             " points: more executors would wait for the same resource; " + demand_text(n);
    case ScaleReason::at_min:
      return count_text(n.executors, "executor") + ", and min is " + std::to_string(n.min);
    case ScaleReason::none_due:
      return n.undrainable > 0
                 ? "the only idle executors that might be removed could not be drained"
                 : "no idle executor is far enough into its billing period";
    case ScaleReason::idle:
      return count_text(n.due, "executor") + " idle and far enough into the billing period";
    case ScaleReason::done:
      return "nothing waits, and only the idle master is left";
  }
  return "";
}

std::string describe(const ScaleDecision& decision) {
  std::string what = "no change";
  if (decision.add > 0) what = "adds " + count_text(decision.add, "executor");
  if (!decision.remove.empty()) {
    what = "removes " + count_text(decision.remove.size(), "executor");
  }
  return what + ": " + why(decision);
}

}  // namespace sluice
