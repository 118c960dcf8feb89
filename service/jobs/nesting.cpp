// On whose permit a job works: what its command was told, or where its process comes from.
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
  // What it was told may be of a job further up: sudo leaves nothing of the environment.
  const bool is_nearer = told == JobId{} || is_below(seen, told);
  return seen != JobId{} && is_nearer ? seen : told;
}

/// A token is worth something to its own user, and while its job runs: environments are kept.
JobId Jobs::told_parent(const std::string& token, std::optional<uid_t> user) const {
  const auto job = tokens_.job_of(token);
  if (!job || !is_running(*job)) return {};
  const JobRecord& parent = *find(*job);
  return parent.owner && parent.owner == user ? *job : JobId{};
}

/// What others were told that are surely of the same job: sudo clears the environment, and who
/// left its parent is still in the job's group. Its tokens are theirs, and so is the user.
JobId Jobs::witnessed_parent(const Peer& peer) const {
  if (peer.pid <= 0 || !links_.witnesses.above || !links_.witnesses.beside) return {};
  for (const PermitWitness& witness : links_.witnesses.above(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{}) return job;
  }
  // Without a group of their own its children's processes are in there as well, of later jobs.
  JobId first;
  for (const PermitWitness& witness : links_.witnesses.beside(peer.pid)) {
    const JobId job = told_parent(witness.token, witness.user);
    if (job != JobId{} && (first == JobId{} || job < first)) first = job;
  }
  return first;
}

/// The last job that was admitted of those whose lease hangs on the nearest process above it. The
/// process itself is none of them: it may hold many jobs that have nothing to do with each other.
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

/// How many running jobs there are from this one up to the one that is nobody's child.
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

/// What is measured of a job's processes holds what is measured of its children's.
JobUsage Jobs::without_children(const JobRecord& job, JobUsage usage) const {
  usage.cpu -= std::min(usage.cpu, job.children_cpu);
  usage.cpu_delay -= std::min(usage.cpu_delay, job.children_delay);
  if (job.had_children && job.own_peak) usage.peak_memory = *job.own_peak;
  return usage;
}

/// To be called when what it uses was measured again; its parent is told.
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

/// A child is over: what it used is not its parent's.
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
