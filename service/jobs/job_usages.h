#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "costmodel/fit.h"
#include "service/jobs/job_callbacks.h"
#include "service/jobs/job_record.h"
#include "service/jobs/known_jobs.h"
#include "service/jobs/leases.h"
#include "service/jobs/remote_brake.h"
#include "sluice/usage.h"

namespace sluice {

class History;

/// What a job used itself, of `usage`, its total: measurements of its processes include those of
/// its children.
JobUsage without_children(const JobRecord& job, JobUsage usage);

/// What jobs use: believes what their holders report as far as the kernel confirms it, passes it to
/// their permits and to the brake, and learns from it for later jobs. A job's usage is without that
/// of its children. Not thread-safe.
class JobUsages {
 public:
  /// All that is referred to outlives this.
  JobUsages(const JobCallbacks& callbacks, KnownJobs& jobs) : callbacks_(callbacks), jobs_(jobs) {
    count_kills();
  }

  /// Sets the history that jobs teach from now on; null stops learning.
  void learn_with(std::shared_ptr<History> history) { history_ = std::move(history); }
  /// Sets how memory is reserved for jobs from now on. `brake`: the memory that the brake monitors;
  /// empty if it is off.
  void configure_memory(const ReservationOptions& options, MemoryMeter brake);
  /// Memory reserved for a job: what it declares, else the expected mean plus its margin; nullopt
  /// if neither is known.
  std::optional<Bytes> memory_kept_for(const JobRecord& job) const;
  /// Memory that would be reserved for the next run of the same job; nullopt if nothing is known.
  std::optional<Bytes> memory_of_next(const JobRecord& job) const;
  /// How many jobs like this one fit now, beside those of `status`, and what each is expected to
  /// need.
  std::pair<Fit, Prediction> fit(const JobRequest& job, const Status& status) const;

  /// See `History::heavy_programs`.
  std::vector<std::string> heavy_programs(std::string_view user) const;

  /// Notes what the job is expected to need and, once it runs, the limits that are enforced.
  void predict(JobRecord& job) const;
  /// The job is admitted.
  void begin(JobRecord& job, TimePoint now) const;
  /// An admitted job whose process is watched is charged from now on.
  void begin_cpu(const JobRecord& job, TimePoint now) const;

  /// Takes what a running job has used so far; false if it is not running.
  bool measured(JobId job, JobUsage usage, TimePoint now);
  /// Passes what a running job holds to its permit; the caller learns from it in another way.
  void charge(JobId job, const JobUsage& usage);
  /// Measures the running jobs whose holders have not reported for a while, as far as their
  /// processes can be seen: what a job is charged must not depend on what its holder says.
  void measure_silent(TimePoint now);
  /// Reads the kernel's count of OOM kills, for the jobs that are admitted from now on.
  void count_kills();

  /// Why a running job is suspended; nullptr if it is not.
  const Suspension* suspension(JobId job) const { return brake_.suspension(job); }
  /// The job has ended: the brake forgets it, and may let others go on. Call it before the job's
  /// points are returned.
  void end_braking(JobId job, TimePoint now) { tell_braked(brake_.ended(job, now)); }
  /// The job has ended: teaches its parent and the history.
  void learn(const JobRecord& job, LeaseEnd cause);

 private:
  void tell_braked(const std::vector<BrakeAction>& actions);
  void note_own_memory(JobRecord& job, Bytes before);
  void note_child(const JobRecord& child);
  JobRecord* running_parent(const JobRecord& job);
  bool may_raise_expectations(const JobRecord& job) const;
  JobUsage believable(const JobRecord& job, const JobUsage& usage, TimePoint now) const;
  std::optional<std::uint64_t> kills_since(const JobRecord& job) const;
  void brake(const JobRecord& job, const JobUsage& usage, TimePoint now);

  const JobCallbacks& callbacks_;
  KnownJobs& jobs_;
  std::shared_ptr<History> history_;
  ReservationOptions reservation_;
  RemoteBrake brake_;
  std::optional<std::uint64_t> kills_;
};

}  // namespace sluice
