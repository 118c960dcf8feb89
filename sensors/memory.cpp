#include "sensors/memory.h"

#include "base/text.h"
#include "sensors/pressure.h"

namespace sluice {

Reading memory_reading(const MemInfo& memory, double least) {
  const auto available = static_cast<double>(memory.available.value);
  const auto total = static_cast<double>(memory.total.value);
  const double ratio = total > 0 ? available / total : 0;
  return {.conditions = {{"available", available, least * total, total, Unit::bytes,
                          pressure_at_least(ratio, least, AtLimit::allowed)}},
          .sentence = bytes_text(available) + " of " + bytes_text(total) + " available (" +
                      percent_text(ratio) + "), at least " + percent_text(least),
          .source = "/proc/meminfo"};
}

Result<Reading> MemorySensor::read(TimePoint) {
  const auto memory = read_parsed(file_, parse_meminfo);
  if (!value_in(memory)) return failure_in(memory);
  return memory_reading(*value_in(memory), least_);
}

}  // namespace sluice
