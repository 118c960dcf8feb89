#include "service/jobs/parent_jobs.h"

#include <ranges>
#include <vector>

namespace sluice {

std::string ParentJobs::permit_token_of(const JobRecord& job) const {
  return job.owner && !job.ended_by ? tokens_.token_of(job.number) : "";
}

JobId ParentJobs::parent_of(const Submit& submit, const http::Peer& peer) const {
  JobId told;
  if (submit.parent) told = told_parent(*submit.parent, peer.user);
  if (submit.parent && told == JobId{}) told = witnessed_parent(peer);
  const JobId seen = seen_parent(peer);
  // The token may be of a job further up, because sudo clears the environment.
  const bool is_nearer = told == JobId{} || is_below(seen, told);
  return seen != JobId{} && is_nearer ? seen : told;
}

/// A token counts only for its own user and while its job runs, because environments outlive jobs.
JobId ParentJobs::told_parent(const std::string& token, std::optional<uid_t> user) const {
  const auto job = tokens_.job_of(token);
  if (!job || !is_running(*job)) return {};
  const JobRecord& parent = *jobs_.find(*job);
  return parent.owner && parent.owner == user ? *job : JobId{};
}

/// The parent according to processes that surely belong to the same job: sudo clears the
/// environment, and a process that left its parent is still in the job's group. The token and the
/// user are those of the witness.
JobId ParentJobs::witnessed_parent(const http::Peer& peer) const {
  if (peer.pid <= 0 || !callbacks_.witnesses.above || !callbacks_.witnesses.beside) return {};
  for (const PermitWitness& witness : callbacks_.witnesses.above(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{}) return job;
  }
  // Without groups of their own, the processes of its children, which are later jobs, are in there
  // too.
  JobId first;
  for (const PermitWitness& witness : callbacks_.witnesses.beside(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{} && (first == JobId{} || job < first)) first = job;
  }
  return first;
}

/// The job admitted last among those whose lease depends on the nearest ancestor that has any. The
/// process itself does not count: it may hold many unrelated jobs.
JobId ParentJobs::seen_parent(const http::Peer& peer) const {
  const bool can_see = callbacks_.ancestors_of && peer.pid > 0 && leases_.any_hangs_on_a_process();
  if (!can_see) return {};
  for (const pid_t process : callbacks_.ancestors_of(peer.pid)) {
    const std::vector<JobId> jobs = leases_.of_process(process);
    for (const JobId job : jobs | std::views::reverse) {
      if (is_running(job)) return job;
    }
  }
  return {};
}

bool ParentJobs::is_running(JobId job) const {
  const JobRecord* record = jobs_.find(job);
  return record && record->admitted && !record->ended_by;
}

std::size_t ParentJobs::depth_of(JobId job) const {
  std::size_t depth = 0;
  const JobRecord* at = jobs_.find(job);
  for (; at && !at->ended_by; at = jobs_.find(at->request.parent)) ++depth;
  return depth;
}

bool ParentJobs::is_below(JobId job, JobId parent) const {
  for (const JobRecord* at = jobs_.find(job); at; at = jobs_.find(at->request.parent)) {
    if (at->request.parent == parent) return true;
  }
  return false;
}

}  // namespace sluice
