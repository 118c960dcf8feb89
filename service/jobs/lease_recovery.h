#pragma once

#include <cstdint>
#include <optional>

#include "service/jobs/job_store.h"
#include "service/jobs/leases.h"

namespace sluice {

/// Outcome of a job whose process ended without a `finish`. A client that also held a connection
/// would have reported the outcome, so the job counts as cancelled. For any other process only its
/// parent knows the outcome; normally a job is done when its process ends, so it counts as ok.
constexpr Outcome outcome_without_finish(bool is_held_by_connection) {
  return is_held_by_connection ? Outcome::cancelled : Outcome::ok;
}

/// What ended the lease of a stored job while no daemon was running; nullopt if the lease
/// continues. `started`: when the process that has the lease's pid now began; 0 if there is none.
/// For a lease on a process, that process decides, not the connection, which ended with the daemon
/// in any case. Whatever ran before a reboot is gone, whatever its lease depended on. Pure.
std::optional<LeaseEnd> end_while_away(const StoredJob& job, StoredState::Boot boot,
                                       std::uint64_t started);

/// The deadline of a lease with a heartbeat after a restart of the daemon. As before, it is one
/// heartbeat after the last sign of life, but at least half a heartbeat from now, so that a client
/// that shows life twice per heartbeat is heard. After a reboot it is a whole heartbeat from now,
/// because the client has to start, too. Pure.
TimePoint deadline_after(const StoredLease& lease, StoredState::Boot boot, TimePoint now);

}  // namespace sluice
