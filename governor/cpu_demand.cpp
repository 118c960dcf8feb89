#include "governor/cpu_demand.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sluice {
namespace {

/// Two samples of a job's CPU time have a resolution of 10 ms.
constexpr Duration kLeastSpan = std::chrono::milliseconds(200);
constexpr double kFallSeconds = 4;

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void CpuDemand::see(const JobUsage& usage, double cpus) {
  // An estimate of the delay may be corrected downwards.
  cpu_ = std::max(cpu_, usage.cpu);
  delay_ = std::max(delay_, usage.cpu_delay);
  const Duration span = usage.wall - began_.wall;
  if (span < kLeastSpan) return;
  const double seconds = seconds_of(span);
  const double used = seconds_of(std::max(Duration(0), usage.cpu - began_.cpu));
  const double waited = seconds_of(std::max(Duration(0), usage.cpu_delay - began_.cpu_delay));
  used_ = std::min(cpus, used / seconds);
  const double now = std::min(cpus, (used + waited) / seconds);
  const double before = cores_.value_or(now);
  cores_ = std::max(now, now + (before - now) * std::exp(-seconds / kFallSeconds));
  began_ = usage;
}

}  // namespace sluice
