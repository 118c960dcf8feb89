#pragma once

#include <cstdint>
#include <optional>

#include "service/jobs/job_store.h"
#include "service/jobs/leases.h"

namespace sluice {

/// How a job ended whose process ended and that nobody finished. Who held on to its connection as
/// well would have said how; of any other process only its parent knows, and that it is over is
/// how jobs end as a rule.
constexpr Outcome outcome_without_finish(bool is_held_by_connection) {
  return is_held_by_connection ? Outcome::cancelled : Outcome::ok;
}

/// What ended the lease of a kept job while no daemon was there; none: it goes on. `started` is
/// when the process that has the lease's number now began; 0: there is none. A process decides over
/// a connection, which is gone with the daemon in any case; what ran under another boot is gone
/// with that, whatever its lease hung on. Pure.
std::optional<LeaseEnd> end_while_away(const StoredJob& job, StoredState::Boot boot,
                                       std::uint64_t started);

/// When a lease with a heartbeat ends from now on: as long after the last sign of life as ever, but
/// not before half of that time has passed again, in which a client that shows life twice per
/// heartbeat is heard. After another boot the whole time, for a client that has to start, too.
/// Pure.
TimePoint deadline_after(const StoredLease& lease, StoredState::Boot boot, TimePoint now);

}  // namespace sluice
