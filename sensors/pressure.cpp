#include "sensors/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice {
namespace {

constexpr double kJustBelowOne = 1 - std::numeric_limits<double>::epsilon() / 2;

double judged(double quotient, bool beyond, bool at, AtLimit at_limit) {
  const double bounded = std::clamp(quotient, 0.0, kMostPressure);
  if (beyond) return bounded;
  if (at && at_limit == AtLimit::red) return 1;
  // Division rounds, so a value one step within its limit may come out as 1.
  return std::min(bounded, kJustBelowOne);
}

}  // namespace

double pressure_at_most(double value, double limit, AtLimit at_limit) {
  if (std::isnan(value) || std::isnan(limit)) return kMostPressure;
  if (limit == INFINITY) return 0;
  if (value == INFINITY || (limit <= 0 && value > limit)) return kMostPressure;
  if (value < limit && value <= 0) return 0;
  const double quotient = limit > 0 ? value / limit : 1;
  return judged(quotient, value > limit, value == limit, at_limit);
}

Condition condition_at_most(std::string name, double value, double limit, Unit unit,
                            AtLimit at_limit) {
  return {std::move(name), value, limit, {}, unit, pressure_at_most(value, limit, at_limit)};
}

double pressure_at_least(double available, double limit, AtLimit at_limit) {
  if (std::isnan(available) || std::isnan(limit) || available <= 0) return kMostPressure;
  if (limit <= 0 || available == INFINITY) return 0;
  if (limit == INFINITY) return kMostPressure;
  return judged(limit / available, available < limit, available == limit, at_limit);
}

void settle_worst(Reading& reading) {
  const auto& all = reading.conditions;
  const auto worst = std::ranges::max_element(all, {}, &Condition::pressure);
  reading.worst = worst == all.end() ? 0 : static_cast<std::size_t>(worst - all.begin());
}

}  // namespace sluice
