#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "service/http/http.h"
#include "service/jobs/faults.h"
#include "service/jobs/job_record.h"
#include "service/jobs/lease_cpu.h"
#include "service/jobs/lost_connection.h"
#include "service/jobs/most_used.h"
#include "service/jobs/permit_witness.h"
#include "service/jobs/remote_brake.h"
#include "service/protocol/change.h"
#include "service/protocol/declared_size.h"
#include "sluice/governor.h"

namespace sluice {

/// Most bytes of declarations of all known jobs: 2.6 KB for each of 100000.
inline constexpr std::size_t kMostDeclaredBytes = std::size_t{256} << 20;

/// What known jobs count against an eighth of the memory: so much for each job, `kDeclaredWeight`
/// for each byte that they declare, and so much for each element (`DeclaredSize`). In memory, a job
/// without declarations takes up to 5 KiB, a declared byte 10, and an element 50 to 600 besides, a
/// lock's name the most: together at most five times as much as counts.
inline constexpr std::size_t kBytesPerJob = 1280;
inline constexpr std::size_t kDeclaredWeight = 4;
inline constexpr std::size_t kBytesPerElement = 100;

/// What so many jobs count that declare `size` in total.
constexpr std::size_t counted_bytes(const DeclaredSize& size, std::size_t jobs) {
  return jobs * kBytesPerJob + size.bytes * kDeclaredWeight + size.elements * kBytesPerElement;
}

/// The request that a deferred answer belongs to; `observe`: of one who may not end the job.
enum class DeferredRequest { submit, show, observe };

/// Follows the process that holds a job, by its lease or by a connection, to find out how the job
/// may have ended if nobody reports it. Each function may be empty; nothing is known then.
struct HolderWatch {
  std::function<void(JobId, pid_t)> begin;
  std::function<void(JobId)> over;
  /// What can be known just after the job's connection or process has ended.
  std::function<LostHolder(JobId, pid_t)> lost;

  /// Follows the process that holds the job; 0 if it is unknown.
  void follow(JobRecord& job, pid_t process) const {
    job.holder = process;
    if (process > 0 && begin) begin(job.number, process);
  }
};

/// Callbacks from `Jobs` to the daemon. `hand_over` is called on any thread and must have
/// `admitted` called on the service's thread. `unwatchable` returns why a process cannot be
/// watched, or nullopt. `watch` starts to watch a process and returns the problem if it cannot; the
/// end of the process must reach `process_ended`. `unwatch` is called for every watched or measured
/// job that ended. `answer` is called when a wait is over: the job no longer pends, or the time is
/// up.
struct JobCallbacks {
  OnAdmission hand_over;
  std::function<std::optional<std::string>(pid_t)> unwatchable;
  std::function<std::optional<std::string>(JobId, pid_t)> watch;
  std::function<void(JobId)> unwatch;
  std::function<void(http::ConnectionId, DeferredRequest, int status, const JobRecord&)> answer;
  std::function<void(const JobRecord&)> began, over;  ///< Called for each job; may be empty.
  /// Called for each job that was added, after `began` if it starts at once; may be empty.
  std::function<void(const JobRecord&)> submitted = {};
  /// Called with each decision of the brake about a job; may be empty.
  std::function<void(const JobRecord&, const BrakeAction&)> braked;
  /// When a process began, in clock ticks since boot; 0 if it does not exist. Needed only for
  /// stored jobs.
  std::function<std::uint64_t(pid_t)> process_started = {};
  std::size_t most_declared_bytes = kMostDeclaredBytes;
  /// Most that all known jobs together may count.
  std::size_t most_job_bytes = std::numeric_limits<std::size_t>::max();
  Faults* faults = nullptr;  ///< Outlives the jobs; if null, an end that fails throws.
  /// What the processes of a watched job hold, according to the kernel. May be empty; nullopt if
  /// it cannot be seen.
  std::function<std::optional<Bytes>(JobId, TimePoint)> held = {};
  /// What the processes of a watched job have used since its admission, as far as they can be
  /// read. May be empty; nullopt if they cannot.
  std::function<std::optional<LeaseCpu>(JobId, TimePoint)> cpu = {};
  /// A watched job is admitted: `cpu` counts from here. May be empty.
  std::function<void(JobId, TimePoint)> cpu_begins = {};
  /// Processes that the kernel has killed for lack of memory. May be empty; nullopt if the kernel
  /// does not say.
  std::function<std::optional<std::uint64_t>()> oom_kills = {};
  MostUsed most_used = {};  ///< Cores and memory of this machine.
  /// The ancestors of a process, nearest first; empty if unknown.
  std::function<std::vector<pid_t>(pid_t)> ancestors_of = {};
  /// Makes this process and its descendants the ones whose memory is the job's; may be empty.
  std::function<void(JobId, pid_t)> measure_below = {};
  HolderWatch holders = {};
  PermitWitnesses witnesses = {};
  /// Called for each job that was changed, after the governor has changed it; may be empty.
  std::function<void(const JobRecord&, const Change&)> changed = {};
};

}  // namespace sluice
