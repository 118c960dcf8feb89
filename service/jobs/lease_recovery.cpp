#include "service/jobs/lease_recovery.h"

#include <algorithm>

namespace sluice {

std::optional<LeaseEnd> end_while_away(const StoredJob& job, StoredState::Boot boot,
                                       std::uint64_t started) {
  const bool other = boot == StoredState::Boot::other;
  if (const auto& process = job.lease.process) {
    const bool lives = !other && started != 0 && started == process->started;
    return lives ? std::nullopt : std::optional(LeaseEnd::process);
  }
  if (other && job.job.admitted) return LeaseEnd::process;
  if (job.lease.hold == StoredLease::Hold::connection) return LeaseEnd::connection;
  return std::nullopt;
}

TimePoint deadline_after(const StoredLease& lease, StoredState::Boot boot, TimePoint now) {
  const Duration silence = *lease.heartbeat;
  if (boot == StoredState::Boot::other) return now + silence;
  // A clock that was set back must not extend a lease.
  return std::clamp(lease.renewed + silence, now + silence / 2, now + silence);
}

}  // namespace sluice
