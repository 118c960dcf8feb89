// /proc/pressure/* and *.pressure, and the readings of the three pressure sensors.
#include "sensors/cpu_pressure.h"
#include "sensors/io_pressure.h"
#include "sensors/memory_pressure.h"
#include "support/reading.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto psi = parse_psi(text);
  if (!value_in(psi)) return check(failure_in(psi));
  const PsiSample sample{*value_in(psi), "/proc/pressure/cpu"};
  check(io_pressure_reading(sample, 0.4));
  check(memory_pressure_reading(sample, sample, {}));
  GrowthRatio growth;
  const TimePoint start{std::chrono::hours(1)};
  growth.update(start, 0, 0);
  const auto waited =
      growth.update(start + std::chrono::seconds(1), sample.psi.some.total, 1'000'000);
  check(cpu_pressure_reading(waited, 0.5, sample.source));
}
