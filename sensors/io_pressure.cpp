#include "sensors/io_pressure.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {

Result<Reading> io_pressure_reading(const PsiSample& sample, double most) {
  if (!sample.psi.full) return ReadFailure{sample.source + ": no line 'full'"};
  const double full = sample.psi.full->avg10 / 100;
  return Reading{.conditions = {condition_at_most("full", full, most, Unit::ratio)},
                 .sentence = "all tasks at once waited for disks " + percent_text(full) +
                             " of the last 10 s, at most " + percent_text(most),
                 .source = sample.source};
}

Result<Reading> IoPressureSensor::read(TimePoint now) {
  const auto sample = psi_.read(now);
  if (!value_in(sample)) return failure_in(sample);
  return io_pressure_reading(*value_in(sample), most_);
}

}  // namespace sluice
