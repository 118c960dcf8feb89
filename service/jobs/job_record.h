#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "costmodel/cpu_profile.h"
#include "governor/memory/reservation.h"
#include "service/jobs/leases.h"
#include "service/protocol/client_batch.h"
#include "service/protocol/submit.h"
#include "sluice/governor.h"
#include "sluice/prediction.h"
#include "sluice/usage.h"

namespace sluice {

/// A job that came over the API, from its submit until it is forgotten.
struct JobRecord {
  JobId number;
  std::string id;              ///< The client's id; may be empty.
  std::optional<uid_t> owner;  ///< Its user, see `JobOwner`.
  JobRequest request;
  Points cost;
  TimePoint arrived;
  std::optional<TimePoint> admitted;
  bool starting = false;
  Permit permit;                     ///< Holds the points while the job runs.
  std::optional<LeaseEnd> ended_by;  ///< nullopt while it pends or runs.
  Outcome outcome = Outcome::ok;     ///< Of an ended job.
  std::optional<Refusal> refusal;    ///< What ended the wait of a `refused` job.
  std::size_t waiters = 0;           ///< Requests that wait for its admission,
  std::size_t keepers = 0;           ///< and of these, the ones that keep it alive.
  /// The holder's last report, clamped to what is possible. Memory is the kernel's figure where the
  /// source says so, except the peak, which the daemon may have missed.
  std::optional<JobUsage> usage;
  std::optional<JobUsage> told;  ///< What its permit heard last.
  ProfileRecorder recorded;
  std::optional<TimePoint> last_use;            ///< Time of that report.
  Bytes seen_peak;                              ///< The most that the daemon itself saw it hold.
  std::optional<std::uint64_t> kills_before;    ///< OOM kills by the kernel before it was admitted.
  Duration children_cpu{0}, children_delay{0};  ///< Used by children that have ended.
  bool had_children = false;
  Bytes children_memory;  ///< Held by running children.
  /// Peak memory without its children; nullopt if nothing was measured.
  std::optional<Bytes> own_peak;
  /// What it was expected to need at its submit and, once it runs, at its admission; nullopt if
  /// nothing is learned.
  std::optional<Prediction> prediction;
  EnforcedLimits limits;  ///< Of a running job.
  JobOrder order;         ///< Of a pending job; like `frozen`, only as current as a store needs.
  bool frozen = false;
  /// Its lease depends, or depended, on a connection: its holder reports its end.
  bool held = false;
  pid_t holder = 0;      ///< Its process, or the one that holds its connection; 0 if unknown.
  bool kept = false;     ///< Stored.
  ClientBatch batch;     ///< That its client submitted it for.
  bool charged = false;  ///< Its permit hears what it uses in another way: `JobUsages::charge`.
  bool leader_named = false;          ///< Its holder named the process of its command.
  std::uint64_t process_started = 0;  ///< Of a stored job: identifies its process.
  /// By its submit, and the most of its changes.
  DeclaredSize submitted, changed;

  /// What tells its memory and time; nullopt if nothing does.
  std::optional<Rung> rung() const {
    if (request.memory) return Rung::declared;
    return prediction ? std::optional(prediction->rung) : std::nullopt;
  }
  std::string_view state() const {
    return ended_by ? "finished" : admitted ? "running" : "pending";
  }
};

/// What the governor knows of it, as far as the record has it.
inline JobSnapshot snapshot_of(const JobRecord& record) {
  JobSnapshot job;
  job.id = record.number;
  job.request = record.request;
  job.cost = record.cost;
  job.arrived = record.arrived;
  job.admitted = record.admitted;
  job.starting = record.starting;
  job.frozen = record.frozen;
  job.order = record.order;
  if (record.permit) job.items = record.permit.items();
  return job;
}

}  // namespace sluice
