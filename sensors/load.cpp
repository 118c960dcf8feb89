#include "sensors/load.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {

Reading load_reading(const LoadAverage& load, int cpus, double per_cpu) {
  const double most = per_cpu * cpus;
  return {.conditions = {condition_at_most("load1", load.one, most, Unit::count)},
          .sentence = "load " + number_text(load.one, 2) + " of at most " + number_text(most, 1) +
                      " (" + count_text(static_cast<std::uint64_t>(cpus), "CPU") + "), " +
                      count_text(load.runnable, "task") + " runnable",
          .source = "/proc/loadavg"};
}

Result<Reading> LoadSensor::read(TimePoint) {
  const auto load = read_parsed(file_, parse_loadavg);
  if (!value_in(load)) return failure_in(load);
  return load_reading(*value_in(load), cpus_, per_cpu_);
}

}  // namespace sluice
