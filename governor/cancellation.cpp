#include "governor/cancellation.h"

#include "governor/request_conversion.h"
#include "governor/waiting.h"

namespace sluice {

void give_up(CoreState& core, JobId expected) {
  core.dependencies.stop_expecting(expected);
  resolve_dependents(core, expected, JobEnd::failed);
}

std::optional<Refusal> cancel(CoreState& core, JobId id) {
  const auto slot = core.pending->find(id);
  if (!slot) return std::nullopt;
  const Points cost = (*core.pending)[*slot].cost;
  discard(core, remove_pending(core, *slot));
  ++core.counters.cancelled;
  resolve_dependents(core, id, JobEnd::failed);
  return core.refusal(RefusalCode::cancelled, "cancelled", cost);
}

}  // namespace sluice
