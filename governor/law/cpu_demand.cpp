#include "governor/law/cpu_demand.h"

#include <algorithm>
#include <cmath>

#include "base/seconds.h"
#include "sluice/cpu_profile.h"

namespace sluice {
namespace {

/// Two samples of a job's CPU time have a resolution of 10 ms.
constexpr Duration kLeastSpan = std::chrono::milliseconds(200);
/// Jobs are measured four times a second, and reported as often.
constexpr Duration kSilent = std::chrono::seconds(2);

}  // namespace

void CpuDemand::see(const JobUsage& usage, double cpus, TimePoint now, Duration fall) {
  // An estimate of the delay may be corrected downwards.
  state_.cpu = std::max(state_.cpu, usage.cpu);
  state_.delay = std::max(state_.delay, usage.cpu_delay);
  const Duration span = usage.wall - state_.wall_began;
  if (span < kLeastSpan) return;
  const double seconds = to_seconds(span);
  const double used = to_seconds(state_.cpu - state_.cpu_began);
  const double waited = to_seconds(state_.delay - state_.delay_began);
  state_.used = std::min(cpus, used / seconds);
  const double shown = std::min(cpus, (used + waited) / seconds);
  const double before = state_.cores.value_or(shown);
  state_.cores = std::max(shown, shown + (before - shown) * std::exp(-seconds / to_seconds(fall)));
  state_.seen = now;
  state_.progress +=
      unimpeded(span, state_.cpu - state_.cpu_began, state_.delay - state_.delay_began);
  state_.wall_began = usage.wall;
  state_.cpu_began = state_.cpu;
  state_.delay_began = state_.delay;
}

std::optional<double> CpuDemand::cores(TimePoint now) const {
  const double silent = to_seconds(now - state_.seen - kSilent);
  return state_.cores && silent > 0 ? *state_.cores * std::exp(-silent / to_seconds(kFall))
                                    : state_.cores;
}

Duration CpuDemand::progress(TimePoint admitted, TimePoint now) const {
  if (!state_.cores) return now - admitted;
  return state_.progress + std::clamp(now - state_.seen, Duration{0}, kSilent);
}

double CpuDemand::used(TimePoint now) const {
  return now - state_.seen > kSilent ? 0 : state_.used;
}

}  // namespace sluice
