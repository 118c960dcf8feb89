#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "service/http/http.h"
#include "service/jobs/job_callbacks.h"
#include "service/jobs/job_record.h"
#include "service/jobs/known_jobs.h"
#include "service/jobs/leases.h"
#include "service/jobs/permit_tokens.h"
#include "service/protocol/submit.h"

namespace sluice {

/// The longest chain of running jobs in which each is a child of the one before.
inline constexpr std::size_t kMostNested = 100;

/// Which job's permit a job works on: by its command's token, or by the ancestors of its process.
/// Not thread-safe.
class ParentJobs {
 public:
  /// All that is referred to outlives this.
  ParentJobs(const JobCallbacks& callbacks, const KnownJobs& jobs, const Leases& leases)
      : callbacks_(callbacks), jobs_(jobs), leases_(leases) {}

  /// The parent of the job that this peer submits; 0 if it has none.
  JobId parent_of(const Submit& submit, const http::Peer& peer) const;
  /// Number of running jobs from this one up to the one without a parent.
  std::size_t depth_of(JobId job) const;

  /// Token that proves that a command works on the job's permit; empty if the job came over TCP or
  /// has ended.
  std::string permit_token_of(const JobRecord& job) const;
  PermitTokens& tokens() { return tokens_; }

 private:
  JobId told_parent(const std::string& token, std::optional<uid_t> user) const;
  JobId witnessed_parent(const http::Peer& peer) const;
  JobId seen_parent(const http::Peer& peer) const;
  bool is_running(JobId job) const;
  bool is_below(JobId job, JobId parent) const;

  const JobCallbacks& callbacks_;
  const KnownJobs& jobs_;
  const Leases& leases_;
  PermitTokens tokens_;
};

}  // namespace sluice
