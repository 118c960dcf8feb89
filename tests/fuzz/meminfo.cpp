// /proc/meminfo, and the memory sensor's reading of it.
#include "sensors/memory.h"
#include "support/reading.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto memory = parse_meminfo(text);
  if (!value_in(memory)) return check(failure_in(memory));
  check(memory_reading(*value_in(memory), 0.05));
}
