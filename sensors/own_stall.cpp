#include "sensors/own_stall.h"

#include <algorithm>
#include <cmath>

#include "base/seconds.h"

namespace sluice {
namespace {

/// Like the kernel's avg10.
constexpr double kWindow = 10;

/// Below this part of the time nothing was throttled lately.
constexpr double kNothing = 0.001;

double seconds_of(const PsiLine& line) { return static_cast<double>(line.total) / 1e6; }

double full_of(const Psi& psi) { return psi.full ? seconds_of(*psi.full) : 0; }

void average(double& average, double value, double seconds) {
  average += (1 - std::exp(-seconds / kWindow)) * (value - average);
}

}  // namespace

Psi OwnStall::rest(const Psi& whole, const SlowedStall& slowed, TimePoint now) {
  const double since = last_ ? to_seconds(now - *last_) : 0;
  if (!last_) {
    averages_.some = whole.some.avg10 / 100;
    averages_.full = whole.full ? whole.full->avg10 / 100 : 0;
  }
  if (since > 0) add(whole, slowed, since);
  if (!last_ || since > 0) {
    last_ = now;
    some_total_ = seconds_of(whole.some);
    full_total_ = full_of(whole);
  }
  if (averages_.slowed_some < kNothing) return whole;
  Psi left = whole;
  const double some = 100 * std::max(0.0, averages_.some - averages_.slowed_some);
  left.some.avg10 = std::min(whole.some.avg10, std::max(some, slowed.other_some));
  if (left.full) {
    const double full = 100 * std::max(0.0, averages_.full - averages_.slowed_full);
    left.full->avg10 = std::min(whole.full->avg10, std::max(full, slowed.other_full));
  }
  return left;
}

void OwnStall::add(const Psi& whole, const SlowedStall& slowed, double seconds) {
  // Counters restart if another file is read.
  const double some = std::max(0.0, seconds_of(whole.some) - some_total_) / seconds;
  const double full = std::max(0.0, full_of(whole) - full_total_) / seconds;
  const double waited = slowed.is_whole ? slowed.waited / seconds : 1;
  average(averages_.some, some, seconds);
  average(averages_.full, full, seconds);
  // Overlapping waits add up to no more than the whole waited.
  average(averages_.slowed_some, std::min(some, waited), seconds);
  average(averages_.slowed_full, std::min(full, waited), seconds);
}

}  // namespace sluice
