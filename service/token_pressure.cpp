#include <algorithm>

#include "service/jobserver.h"

namespace sluice {

TokenPressure token_pressure(const Status& status, std::size_t asked, Points held) {
  TokenPressure pressure;
  pressure.points = std::max(Points{0}, status.usage - status.size);
  const bool others_wait =
      status.pending > asked && status.limiting && status.limiting->code == RefusalCode::window;
  if (others_wait) {
    const Points wanted = status.usage + status.limiting->cost - status.size;
    const Points may_go = held - Points{status.size.value / 2};
    pressure.points = std::max(pressure.points, std::min(wanted, may_go));
  }
  if (status.memory) {
    const MemoryStatus& memory = *status.memory;
    const std::uint64_t spoken_for = memory.others.value + memory.kept.value + memory.margin.value;
    pressure.memory.value = spoken_for - std::min(spoken_for, memory.promised.value);
  }
  return pressure;
}

}  // namespace sluice
