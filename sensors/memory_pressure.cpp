#include "sensors/memory_pressure.h"

#include <utility>

#include "sensors/pressure.h"
#include "sensors/text.h"

namespace sluice {
namespace {

Result<Reading> reading_of(const PsiSample& sample, const MemoryPressureLimits& limits) {
  if (!sample.psi.full) return ReadFailure{sample.source + ": no line 'full'"};
  const double some = sample.psi.some.avg10 / 100;
  const double full = sample.psi.full->avg10 / 100;
  Reading reading;
  reading.conditions = {{"some",
                         some,
                         limits.some,
                         {},
                         Unit::ratio,
                         pressure_at_most(some, limits.some, AtLimit::allowed)},
                        {"full",
                         full,
                         limits.full,
                         {},
                         Unit::ratio,
                         pressure_at_most(full, limits.full, AtLimit::allowed)}};
  reading.sentence = "some tasks waited for memory " + percent_text(some) + " (at most " +
                     percent_text(limits.some) + "), all at once " + percent_text(full) +
                     " (at most " + percent_text(limits.full) + ") of the last 10 s";
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

MemoryPressureSensor::MemoryPressureSensor(HostPaths paths, MemoryPressureLimits limits)
    : psi_(std::move(paths), PsiKind::memory), limits_(limits) {}

Result<Reading> MemoryPressureSensor::read(TimePoint now) {
  const auto tightest = psi_.read(now);
  if (!value_in(tightest)) return failure_in(tightest);
  const auto host = psi_.read_host();
  if (!value_in(host)) return failure_in(host);
  return memory_pressure_reading(*value_in(tightest), *value_in(host), limits_);
}

}  // namespace sluice
