#include <algorithm>

#include "service/jobserver/jobserver.h"

namespace sluice {
namespace {

/// Whether any other job waits that free points could help.
bool others_want_room(const Status& status, std::size_t asked) {
  std::size_t held = 0;
  for (const QueueStatus& queue : status.queues) held += queue.held;
  return status.pending > asked + held;
}

}  // namespace

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

Points token_spare(const Status& status, std::size_t asked, Points idle, TokenWindow window) {
  const bool closed = status.full && status.full->code != RefusalCode::window;
  if (closed || status.law == Law::rfc || others_want_room(status, asked)) return Points{0};
  // Tokens on the permit of a parent job add less to the usage than they hold.
  const Points used = std::max(Points{0}, status.usage - idle);
  const Points left = std::max(Points{0}, status.size - used);
  return window == TokenWindow::own ? left : Points{left.value / 2};
}

}  // namespace sluice
