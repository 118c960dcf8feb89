#include "governor/law/cpu_phases.h"

#include <algorithm>

#include "base/seconds.h"

namespace sluice {
namespace {

constexpr Duration kLead = std::chrono::milliseconds(500);
constexpr int kLeadPart = 20;
constexpr Duration kGrace = std::chrono::seconds(1);
constexpr int kGracePart = 10;

}  // namespace

double cores_at_start(const CpuProfile& profile) {
  double most = 0;
  Duration from{0};
  for (const CpuPhase& phase : profile.valid()) {
    if (from < kLater) most = std::max(most, phase.cores);
    from = phase.until;
  }
  return most;
}

double due_cores(const CpuProfile& profile, Duration progress) {
  double most = 0;
  Duration from{0};
  for (const CpuPhase& phase : profile.valid()) {
    const Duration since = from - std::max(kLead, from / kLeadPart);
    const Duration until = std::min(phase.until, from + std::max(kGrace, from / kGracePart));
    if (progress >= since && progress < until) most = std::max(most, phase.cores);
    from = phase.until;
  }
  return most;
}

double mean_cores(const CpuProfile& profile, Duration from, Duration until) {
  if (until <= from) return 0;
  double work = 0;
  Duration began{0};
  for (const CpuPhase& phase : profile.valid()) {
    const Duration common = std::min(until, phase.until) - std::max(from, began);
    if (common.count() > 0) work += phase.cores * to_seconds(common);
    began = phase.until;
  }
  return work / to_seconds(until - from);
}

}  // namespace sluice
