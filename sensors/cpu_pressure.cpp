#include "sensors/cpu_pressure.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {

Reading cpu_pressure_reading(std::optional<double> waited, std::optional<double> most,
                             const std::string& source) {
  Reading reading;
  const double pressure = waited && most ? pressure_at_most(*waited, *most, AtLimit::allowed) : 0;
  reading.conditions.push_back({"some", waited.value_or(0), most, {}, Unit::ratio, pressure});
  reading.sentence = waited ? "tasks waited for a CPU " + percent_text(*waited) + " of the time"
                            : "waiting for a CPU not yet known";
  reading.sentence += most ? ", at most " + percent_text(*most) : ", unlimited";
  reading.source = source;
  return reading;
}

Result<Reading> CpuPressureSensor::read(TimePoint now) {
  const auto sample = psi_.read(now);
  if (!value_in(sample)) return failure_in(sample);
  const Psi& psi = value_in(sample)->psi;
  const std::string& source = value_in(sample)->source;
  if (source != source_) growth_.restart();
  source_ = source;
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  const auto waited =
      growth_.update(now, psi.some.total, static_cast<std::uint64_t>(elapsed.count()));
  return cpu_pressure_reading(waited, most_, source);
}

}  // namespace sluice
