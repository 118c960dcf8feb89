#include "governor/law/cpu_demand.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/seconds.h"
#include "governor/law/cores.h"
#include "sluice/cpu_profile.h"

namespace sluice {
namespace {

/// Two samples of a job's CPU time have a resolution of 10 ms.
constexpr Duration kLeastSpan = std::chrono::milliseconds(200);
constexpr double kFallSeconds = 4;
/// Jobs are measured four times a second, and reported as often.
constexpr Duration kSilent = std::chrono::seconds(2);

}  // namespace

void CpuDemand::see(const JobUsage& usage, double cpus, TimePoint now) {
  // An estimate of the delay may be corrected downwards.
  cpu_ = std::max(cpu_, usage.cpu);
  delay_ = std::max(delay_, usage.cpu_delay);
  const Duration span = usage.wall - wall_began_;
  if (span < kLeastSpan) return;
  const double seconds = to_seconds(span);
  const double used = to_seconds(cpu_ - cpu_began_);
  const double waited = to_seconds(delay_ - delay_began_);
  used_ = std::min(cpus, used / seconds);
  const double shown = std::min(cpus, (used + waited) / seconds);
  const double before = cores_.value_or(shown);
  cores_ = std::max(shown, shown + (before - shown) * std::exp(-seconds / kFallSeconds));
  seen_ = now;
  progress_ += unimpeded(span, cpu_ - cpu_began_, delay_ - delay_began_);
  wall_began_ = usage.wall;
  cpu_began_ = cpu_;
  delay_began_ = delay_;
}

std::optional<double> CpuDemand::cores(TimePoint now) const {
  const double silent = to_seconds(now - seen_ - kSilent);
  return cores_ && silent > 0 ? *cores_ * std::exp(-silent / kFallSeconds) : cores_;
}

Duration CpuDemand::progress(TimePoint admitted, TimePoint now) const {
  if (!cores_) return now - admitted;
  return progress_ + std::clamp(now - seen_, Duration{0}, kSilent);
}

double CpuDemand::used(TimePoint now) const { return now - seen_ > kSilent ? 0 : used_; }

}  // namespace sluice
