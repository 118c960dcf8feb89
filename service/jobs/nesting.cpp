// Which job's permit a job works on: by its command's token, or by the ancestors of its process.
#include <algorithm>

#include "service/jobs/jobs.h"

namespace sluice {

std::string Jobs::permit_of(const JobRecord& job) const {
  return job.owner && !job.ended_by ? tokens_.token_of(job.number) : "";
}

JobId Jobs::parent_of(const Submit& submit, const Peer& peer) const {
  JobId told;
  if (submit.parent) told = told_parent(*submit.parent, peer.user);
  if (submit.parent && told == JobId{}) told = witnessed_parent(peer);
  const JobId seen = seen_parent(peer);
  // The token may be of a job further up, because sudo clears the environment.
  const bool is_nearer = told == JobId{} || is_below(seen, told);
  return seen != JobId{} && is_nearer ? seen : told;
}

/// A token counts only for its own user and while its job runs, because environments outlive jobs.
JobId Jobs::told_parent(const std::string& token, std::optional<uid_t> user) const {
  const auto job = tokens_.job_of(token);
  if (!job || !is_running(*job)) return {};
  const JobRecord& parent = *find(*job);
  return parent.owner && parent.owner == user ? *job : JobId{};
}

/// The parent according to processes that surely belong to the same job: sudo clears the
/// environment, and a process that left its parent is still in the job's group. The token and the
/// user are those of the witness.
JobId Jobs::witnessed_parent(const Peer& peer) const {
  if (peer.pid <= 0 || !links_.witnesses.above || !links_.witnesses.beside) return {};
  for (const PermitWitness& witness : links_.witnesses.above(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{}) return job;
  }
  // Without groups of their own, the processes of its children, which are later jobs, are in there
  // too.
  JobId first;
  for (const PermitWitness& witness : links_.witnesses.beside(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{} && (first == JobId{} || job < first)) first = job;
  }
  return first;
}

/// The job admitted last among those whose lease depends on the nearest ancestor that has any. The
/// process itself does not count: it may hold many unrelated jobs.
JobId Jobs::seen_parent(const Peer& peer) const {
  const bool can_see = links_.ancestors_of && peer.pid > 0 && leases_.any_hangs_on_a_process();
  if (!can_see) return {};
  for (const pid_t process : links_.ancestors_of(peer.pid)) {
    const std::vector<JobId> jobs = leases_.of_process(process);
    const auto running =
        std::find_if(jobs.rbegin(), jobs.rend(), [this](JobId job) { return is_running(job); });
    if (running != jobs.rend()) return *running;
  }
  return {};
}

bool Jobs::is_running(JobId job) const {
  const JobRecord* record = find(job);
  return record && record->admitted && !record->ended_by;
}

/// Number of running jobs from this one up to the one without a parent.
std::size_t Jobs::depth_of(JobId job) const {
  std::size_t depth = 0;
  for (const JobRecord* at = find(job); at && !at->ended_by; at = find(at->request.parent)) ++depth;
  return depth;
}

bool Jobs::is_below(JobId job, JobId parent) const {
  for (const JobRecord* at = find(job); at; at = find(at->request.parent)) {
    if (at->request.parent == parent) return true;
  }
  return false;
}

/// Measurements of a job's processes include those of its children.
JobUsage Jobs::without_children(const JobRecord& job, JobUsage usage) const {
  usage.cpu -= std::min(usage.cpu, job.children_cpu);
  usage.cpu_delay -= std::min(usage.cpu_delay, job.children_delay);
  if (job.had_children && job.own_peak) usage.peak_memory = *job.own_peak;
  return usage;
}

/// Call this after a new measurement; it also updates the parent.
void Jobs::note_own_memory(JobRecord& job, Bytes before) {
  const Bytes held = job.usage->memory;
  const Bytes own{held.value - std::min(held.value, job.children_memory.value)};
  job.own_peak = std::max(job.own_peak.value_or(own), own);
  const auto parent = jobs_.find(job.request.parent.value);
  if (parent == jobs_.end() || parent->second.ended_by) return;
  JobRecord& above = parent->second;
  above.had_children = true;
  above.children_memory.value += held.value;
  above.children_memory.value -= std::min(above.children_memory.value, before.value);
}

/// A child has ended: its usage is not its parent's.
void Jobs::note_child(const JobRecord& child) {
  const auto parent = jobs_.find(child.request.parent.value);
  if (!child.usage || parent == jobs_.end() || parent->second.ended_by) return;
  JobRecord& above = parent->second;
  above.had_children = true;
  above.children_cpu += child.usage->cpu;
  above.children_delay += child.usage->cpu_delay;
  const Bytes held = child.usage->memory;
  above.children_memory.value -= std::min(above.children_memory.value, held.value);
}

}  // namespace sluice
