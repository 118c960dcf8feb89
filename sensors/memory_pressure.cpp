#include "sensors/memory_pressure.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {
namespace {

Result<Reading> reading_of(const PsiSample& sample, const MemoryPressureLimits& limits) {
  if (!sample.psi.full) return ReadFailure{sample.source + ": no line 'full'"};
  const double some = sample.psi.some.avg10 / 100;
  const double full = sample.psi.full->avg10 / 100;
  Reading reading;
  reading.conditions = {condition_at_most("some", some, limits.some, Unit::ratio),
                        condition_at_most("full", full, limits.full, Unit::ratio)};
  reading.sentence = "some tasks waited for memory " + percent_text(some) + " (at most " +
                     percent_text(limits.some) + "), all at once " + percent_text(full) +
                     " (at most " + percent_text(limits.full) + ") of the last 10 s";
  if (sample.slowed_jobs > 0) {
    reading.sentence += ", not counting the time that " + count_text(sample.slowed_jobs, "job") +
                        " waited at memory.high";
  }
  reading.source = sample.source;
  settle_worst(reading);
  return reading;
}

}  // namespace

Result<Reading> memory_pressure_reading(const PsiSample& tightest,
                                        const std::optional<PsiSample>& host,
                                        const MemoryPressureLimits& limits) {
  auto own = reading_of(tightest, limits);
  if (!host || !value_in(own)) return own;
  auto whole = reading_of(*host, limits);
  if (!value_in(whole)) return whole;
  return value_in(whole)->pressure() > value_in(own)->pressure() ? whole : own;
}

MemoryPressureSensor::MemoryPressureSensor(const HostPaths& paths, MemoryPressureLimits limits,
                                           SlowsJobs slows)
    : psi_(paths, PsiKind::memory), limits_(limits) {
  if (slows == SlowsJobs::yes) slowed_.emplace(paths);
}

void MemoryPressureSensor::leave_out(PsiSample& sample, Scope& scope, TimePoint now) const {
  const SlowedStall slowed = slowed_->below(scope.folder);
  sample.psi = scope.stall.rest(sample.psi, slowed, now);
  sample.slowed_jobs = slowed.jobs;
}

Result<Reading> MemoryPressureSensor::read(TimePoint now) {
  auto tightest = psi_.read(now);
  if (!value_in(tightest)) return failure_in(tightest);
  auto host = psi_.read_host();
  if (!value_in(host)) return failure_in(host);
  if (slowed_) {
    slowed_->sample(now);
    if (group_.folder != psi_.folder()) group_ = Scope{psi_.folder(), {}};
    leave_out(std::get<PsiSample>(tightest), group_, now);
    auto& whole = std::get<std::optional<PsiSample>>(host);
    if (whole) leave_out(*whole, host_, now);
  }
  return memory_pressure_reading(*value_in(tightest), *value_in(host), limits_);
}

}  // namespace sluice
