#include "sluice/autoscale.h"

#include <algorithm>
#include <array>

namespace sluice {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kMostExecutors = 100'000;

bool in(Duration least, Duration value, Duration most) { return value >= least && value <= most; }
bool in(int least, int value, int most) { return value >= least && value <= most; }

struct Rule {
  bool holds;
  const char* field;
  const char* must;
};

}  // namespace

int AutoscaleOptions::least() const { return min.value_or(kill_master ? 0 : 1); }

int AutoscaleOptions::most() const { return max.value_or(0); }

Duration AutoscaleOptions::due_after() const {
  const Duration usual = minutes(45);
  if (kill_after) return *kill_after;
  return billing > Duration{0} && billing <= usual ? billing / 4 * 3 : usual;
}

std::optional<AutoscaleProblem> check_autoscale(const AutoscaleOptions& options) {
  const bool billed = options.billing > Duration{0};
  const std::array<Rule, 16> rules{{
      {options.max.has_value(), "max", "is required: the largest number of executors"},
      {in(0, options.least(), kMostExecutors), "min", "must be from 0 to 100000"},
      {in(1, options.most(), kMostExecutors), "max", "must be from 1 to 100000"},
      {options.least() <= options.most(), "min", "must not be above max"},
      {in(1, options.add, kMostExecutors), "add", "must be from 1 to 100000"},
      {in(milliseconds(10), options.interval, seconds(300)), "interval",
       "must be from 10ms to 300s: decisions need recent observations"},
      {in(Duration{0}, options.wait, hours(24 * 7)), "wait", "must be from 0s to 7d"},
      {in(Duration{0}, options.stabilise, hours(24)), "stabilise", "must be from 0s to 1d"},
      {in(Duration{0}, options.due_after(), hours(24 * 30)), "kill_after",
       "must be from 0s to 30d"},
      {in(Duration{0}, options.billing, hours(24 * 30)), "billing", "must be from 0s to 30d"},
      {!billed || options.due_after() < options.billing, "kill_after",
       "must be below billing, or no executor is ever far enough into its period to be removed"},
      {in(minutes(1), options.lookback, hours(24 * 7)), "lookback", "must be from 1min to 7d"},
      {in(1, options.slots_each.value_or(1), kMostSlots), "slots_each",
       "must be from 1 to 1000000"},
      {options.target > 0 && options.target <= 1, "target", "must be above 0 and at most 1"},
      {in(Duration{0}, options.smooth, hours(24)), "smooth", "must be from 0s to 1d"},
      {options.floor >= Points{1} && options.floor <= kMostPoints, "floor",
       "must be from 1 to 16777215 points"},
  }};
  const auto broken =
      std::find_if(rules.begin(), rules.end(), [](const Rule& rule) { return !rule.holds; });
  if (broken == rules.end()) return std::nullopt;
  return AutoscaleProblem{broken->field, std::string(broken->field) + " " + broken->must};
}

}  // namespace sluice
