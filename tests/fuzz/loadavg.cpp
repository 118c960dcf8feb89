// /proc/loadavg, and the load sensor's reading of it.
#include "sensors/load.h"
#include "support/reading.h"

void sluice::fuzz::one_input(std::string_view text) {
  const auto load = parse_loadavg(text);
  if (!value_in(load)) return check(failure_in(load));
  check(load_reading(*value_in(load), 2, 2.5));
}
