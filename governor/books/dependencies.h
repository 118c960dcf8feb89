#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "governor/books/failed_jobs.h"
#include "governor/books/pending_queue.h"
#include "sluice/job.h"

namespace sluice {

enum class JobEnd { succeeded, failed };

/// What a pending job still waits for.
struct Awaiting {
  std::vector<JobId> open;
  JobId failed;  ///< Under `on_failure: hold`.
  OnFailure on_failure = OnFailure::cancel;
};

/// The jobs that pending ones come after (`JobRequest::after`). Not thread-safe.
class Dependencies {
 public:
  Dependencies() = default;
  /// Those of another object: jobs that failed, those expected, and what pending ones wait for.
  Dependencies(FailedJobs failed, const std::vector<JobId>& expected,
               std::map<std::uint64_t, Awaiting> awaiting);

  /// Records what the job comes after. Returns the first of these for which it could never start,
  /// and then records nothing: itself, one of its `parents`, a job that waits for it, or one that
  /// failed under `on_failure: cancel`. `is_alive`: whether a job is pending or running.
  std::optional<JobId> await(const PendingJob& job, std::span<const JobId> after,
                             std::span<const JobId> parents,
                             const std::function<bool(JobId)>& is_alive);
  /// The job no longer waits: it runs, or will not.
  void forget(JobId job);

  /// Others may come after a job that is not submitted yet, until it is or will not be.
  void expect(JobId job) { awaited_[job.value].expected = true; }
  void stop_expecting(JobId job) { awaited_[job.value].expected = false; }
  /// In order.
  std::vector<JobId> expected() const;
  std::map<std::uint64_t, Awaiting> awaiting() const { return {waits_.begin(), waits_.end()}; }

  /// A job that waited for the one that is over, or for one that ended with it.
  struct Resolved {
    JobId job;
    JobId failed;  ///< The job whose failure ends this one; 0 if it may start unless more is open.
  };
  /// A job is over. Returns the jobs affected, in order.
  std::vector<Resolved> resolve(JobId job, JobEnd end);

  /// A job that failed, for all that come after it.
  void remember_failed(JobId job) { failed_.insert(job); }
  bool has_failed(JobId job) const { return failed_.contains(job); }
  const FailedJobs& failed() const { return failed_; }

  bool holds(JobId job) const { return waits_.contains(job.value); }
  /// The job that keeps this one from starting: one that failed, else the first that is not over.
  std::optional<JobId> holder_of(JobId job) const;

 private:
  struct Awaited {
    std::set<JobId> by;
    bool expected = false;
  };
  bool reaches(JobId from, JobId to) const;
  std::optional<Resolved> resolve_one(JobId waiting, JobId done, JobEnd how);

  std::unordered_map<std::uint64_t, Awaited> awaited_;
  std::unordered_map<std::uint64_t, Awaiting> waits_;
  FailedJobs failed_;
};

}  // namespace sluice
