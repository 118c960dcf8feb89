#include "governor/autoscaler/scale_decision.h"

#include <array>
#include <cmath>

#include "base/enum_names.h"

namespace sluice {
namespace {

std::string count(std::int64_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

/// "15min 1s": whole seconds, the two largest units.
std::string time_text(Duration duration) {
  struct Unit {
    std::int64_t seconds;
    const char* name;
  };
  constexpr std::array<Unit, 4> kUnits{{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  std::int64_t rest = std::chrono::ceil<std::chrono::seconds>(duration).count();
  std::string text;
  int parts = 0;
  for (const Unit& unit : kUnits) {
    if (rest < unit.seconds || parts == 2) continue;
    if (!text.empty()) text += ' ';
    text += std::to_string(rest / unit.seconds);
    text += unit.name;
    rest %= unit.seconds;
    ++parts;
  }
  return text.empty() ? "0s" : text;
}

std::string points_text(double points) { return std::to_string(std::llround(points)); }

std::string demand_text(const ScaleNumbers& numbers) {
  return points_text(static_cast<double>(numbers.usage.value)) + " points in use and " +
         points_text(static_cast<double>(numbers.pending.value)) + " requested, at " +
         points_text(numbers.mean) + " points per window";
}

std::string full_text(const ScaleNumbers& numbers) {
  return std::to_string(numbers.full) + " of " + count(numbers.executors, "executor") + " full, " +
         points_text(static_cast<double>(numbers.pending.value)) + " points requested";
}

std::string slots_text(const ScaleNumbers& numbers) {
  return count(numbers.queued, "slot") + " requested, " +
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
      return n.blind > 0 ? count(n.blind, "executor") + " of " + std::to_string(n.executors) +
                               " could not be seen"
                         : "the data needed to decide could not be read";
    case ScaleReason::at_max:
      return count(n.executors + n.draining, "executor") + ", and max is " + std::to_string(n.max) +
             "; the demand is higher";
    case ScaleReason::not_stable:
      return "the next change may come in " + time_text(n.stable_in);
    case ScaleReason::below_min:
      return count(n.executors, "executor") + ", and min is " + std::to_string(n.min);
    case ScaleReason::no_slots:
      return "jobs wait, and no executor takes work";
    case ScaleReason::fits:
      if (n.by_full) return "the demand fits: " + full_text(n);
      return n.desired > 0 ? "the demand fits: " + demand_text(n) : "it fits: " + slots_text(n);
    case ScaleReason::young:
      return slots_text(n) + ", but the longest wait is only " + time_text(n.waited);
    case ScaleReason::waited:
      return slots_text(n) + ", and the longest wait is " + time_text(n.waited);
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
      return count(n.executors, "executor") + ", and min is " + std::to_string(n.min);
    case ScaleReason::none_due:
      return n.undrainable > 0
                 ? "the only idle executors that might be removed could not be drained"
                 : "no idle executor is far enough into its billing period";
    case ScaleReason::idle:
      return count(n.due, "executor") + " idle and far enough into the billing period";
    case ScaleReason::done:
      return "nothing waits, and only the idle master is left";
  }
  return "";
}

std::string describe(const ScaleDecision& decision) {
  std::string what = "no change";
  if (decision.add > 0) what = "adds " + count(decision.add, "executor");
  if (!decision.remove.empty()) {
    what = "removes " + count(static_cast<std::int64_t>(decision.remove.size()), "executor");
  }
  return what + ": " + why(decision);
}

}  // namespace sluice
