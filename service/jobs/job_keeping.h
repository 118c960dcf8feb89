#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "service/jobs/job_callbacks.h"
#include "service/jobs/job_record.h"
#include "service/jobs/job_store.h"
#include "service/jobs/job_usages.h"
#include "service/jobs/known_jobs.h"
#include "service/jobs/leases.h"
#include "service/jobs/permit_tokens.h"
#include "sluice/governor.h"

namespace sluice {

/// Jobs that outlive the daemon: stores them, and takes them back from the store of a previous
/// daemon. Does nothing as long as there is no store. Not thread-safe.
class JobKeeping {
 public:
  /// What a previous daemon left: running jobs that continue, jobs that are gone, and jobs that
  /// still pend. `lines` describes the first hundred that are gone.
  struct Restart {
    std::size_t adopted = 0, released = 0, restored = 0;
    std::vector<std::string> lines;
  };
  /// Ends a job that is gone.
  using End = std::function<void(JobId, LeaseEnd, Outcome)>;

  /// All that is referred to outlives this.
  JobKeeping(Governor& governor, const JobCallbacks& callbacks, KnownJobs& jobs, Leases& leases,
             JobUsages& usages)
      : governor_(governor), callbacks_(callbacks), jobs_(jobs), leases_(leases), usages_(usages) {}

  /// Takes back the stored jobs, and stores all jobs from now on. Call it once, before the first
  /// submit. `tokens`: gets the secret behind those of the stored jobs. Throws NewerState.
  Restart resume(std::unique_ptr<JobStore> store, PermitTokens& tokens, const End& end,
                 TimePoint now);

  /// Stores a new job; `process`: the one that its lease depends on.
  void begin(JobRecord& job, std::optional<pid_t> process);
  /// Stores a stored job again: its permit has come or it has started, or the governor has changed
  /// it.
  void save_again(JobRecord& job);
  void save_changed(JobRecord& job);
  /// The job has ended.
  void remove(const JobRecord& job, LeaseEnd cause);
  /// Takes a sign of life; false if the job's lease has ended.
  bool renew(JobId job, TimePoint now);

  /// Call about once a second: stores signs of life, retries a failing store, and tries again to
  /// watch processes that could not be watched. `process_ended`: called for each that has ended.
  void flush(TimePoint now, const std::function<void(JobId)>& process_ended);
  /// The daemon stops. True if the jobs continue with the next daemon.
  bool stop();
  /// Releases cache memory.
  void release_memory();

  /// nullptr if jobs are kept in memory only.
  const JobStore* store() const { return store_.get(); }

 private:
  /// Takes back one job; returns what has ended it meanwhile, if anything.
  std::optional<LeaseEnd> take_back(const StoredJob& stored, Restored restored,
                                    const StoredState& state, TimePoint now);
  std::optional<LeaseEnd> watch_again(JobId job, pid_t process, std::uint64_t started);
  void watch_unwatched(const std::function<void(JobId)>& process_ended);
  void save(JobRecord& job);
  StoredJob stored_of(const JobRecord& job) const;
  std::vector<StoredJob> all_stored() const;
  void store_renewals();

  Governor& governor_;
  const JobCallbacks& callbacks_;
  KnownJobs& jobs_;
  Leases& leases_;
  JobUsages& usages_;
  std::unique_ptr<JobStore> store_;
  std::unordered_set<std::uint64_t> renewed_;  ///< Jobs with signs of life that are not stored yet.
  std::set<JobId> unwatched_;                  ///< Jobs whose live process could not be watched.
  std::optional<TimePoint> retry_store_;
  bool stopped_ = false;
};

}  // namespace sluice
