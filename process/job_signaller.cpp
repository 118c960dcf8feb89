#include "process/job_signaller.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/text.h"

namespace sluice {
namespace {

constexpr Duration kSampleLasts = std::chrono::milliseconds(20);

/// The name that a process has chosen, of any bytes, made printable; "?" if it has chosen none, and
/// empty if it is gone.
std::string name_of(pid_t pid) {
  constexpr std::size_t kLongestName = 64;
  std::string name = beginning_of(proc_path(pid, "comm"), kLongestName);
  if (name.size() > 1) name.pop_back();  // The end of the line.
  return printable(name);
}

/// Whether it is a guard or a sensor of a Sluice, such as of one below this one: a mere copy of its
/// parent, which outlives it for a moment. Other processes of Sluice, such as a daemon, go on.
bool ends_by_itself(const ProcessFacts& process, const std::string& name) {
  return !process.has_executed && name.starts_with("sluice");
}

}  // namespace

JobSignaller::JobSignaller(ManagedJobs& jobs) : jobs_(jobs) {
  for (const pid_t child : read_own_children()) foreign_.insert(child);
}

void JobSignaller::measure_processes(ManagedJob& job) {
  JobProcesses::Sample sample = job.processes.sample(poll());
  job.usage.cpu = std::max(job.usage.cpu, sample.cpu);
  job.usage.memory = job.resident.of(sample.alive);
  job.alive = std::move(sample.alive);
}

void JobSignaller::sample_delay(ManagedJob& job) {
  job.group ? job.delay.sample(job.group->processes_in_it()) : job.delay.follow(job.alive);
}

/// All processes, at most `kSampleLasts` old: one walk of /proc serves the measurements of many
/// jobs.
const std::vector<ProcessFacts>& JobSignaller::poll() {
  const TimePoint now = Clock::now();
  if (sampled_at_ && now - *sampled_at_ < kSampleLasts) return sample_;
  sampled_at_ = now;
  attribute_orphans();
  std::vector<pid_t> followed;
  for (const auto& [leader, job] : jobs_) {
    followed.push_back(leader);
    for (const ProcessFacts& each : job.alive) followed.push_back(each.pid);
  }
  sample_ = processes_.read(followed, now);
  return sample_;
}

/// Attributes the orphans that this process has adopted to their jobs.
void JobSignaller::attribute_orphans() {
  for (const pid_t pid : read_own_children()) {
    if (is_own(pid)) continue;
    const auto orphan = read_process(pid);
    if (!orphan || !orphan->is_alive()) continue;
    if (ManagedJob* job = owner_of(*orphan)) job->processes.adopt(*orphan);
  }
}

ManagedJob* JobSignaller::owner_of(const ProcessFacts& orphan) {
  for (auto& [leader, job] : jobs_) {
    if (job.processes.knows(orphan)) return &job;
  }
  for (auto& [leader, job] : jobs_) {
    if (!job.group && began_with(orphan.pid, job.marker)) return &job;
  }
  return jobs_.size() == 1 ? &jobs_.begin()->second : nullptr;
}

ManagedJob* JobSignaller::owner_of_ended(pid_t pid) {
  if (foreign_.erase(pid) > 0) return nullptr;
  for (auto& [leader, job] : jobs_) {
    if (job.processes.has_seen(pid)) return &job;
  }
  return jobs_.size() == 1 ? &jobs_.begin()->second : nullptr;
}

std::vector<pid_t> JobSignaller::processes_of(ManagedJob& job) {
  if (job.group) return job.group->processes_in_it();
  // All are read: one that must be stopped or killed may have been a stranger a moment ago.
  sampled_at_.reset();
  processes_.forget();
  std::vector<pid_t> pids;
  for (const ProcessFacts& each : job.processes.alive(poll())) pids.push_back(each.pid);
  return pids;
}

LeftProcesses JobSignaller::left_of(ManagedJob& job) {
  LeftProcesses left;
  for (const pid_t pid : processes_of(job)) {
    const auto facts = read_process(pid);
    std::string name = name_of(pid);
    if (!facts || !facts->is_alive() || name.empty() || ends_by_itself(*facts, name)) continue;
    ++left.count;
    if (left.names.size() < LeftProcesses::kMostNamed) left.names.push_back(std::move(name));
  }
  return left;
}

std::vector<pid_t> JobSignaller::going(ManagedJob& job) {
  std::vector<pid_t> pids = processes_of(job);
  std::erase_if(pids, [](pid_t pid) {
    const auto facts = read_process(pid);
    return !facts || !facts->is_alive() || facts->is_stopped();
  });
  return pids;
}

void JobSignaller::stop(ManagedJob& job) {
  constexpr int kMostAttempts = 20;
  if (job.group && job.group->can_freeze()) {
    job.group->freeze();
    return;
  }
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const std::vector<pid_t> pids = going(job);
    if (pids.empty()) return;
    for (const pid_t pid : pids) ::kill(pid, SIGSTOP);
  }
}

void JobSignaller::resume(ManagedJob& job) {
  if (job.group && job.group->can_freeze()) {
    job.group->thaw();
    return;
  }
  for (const pid_t pid : processes_of(job)) ::kill(pid, SIGCONT);
}

void JobSignaller::kill(ManagedJob& job) {
  stop(job);
  if (job.group) {
    job.group->kill();
    job.group->thaw();
    return;
  }
  for (const pid_t pid : processes_of(job)) ::kill(pid, SIGKILL);
}

bool JobSignaller::is_gone(pid_t leader, ManagedJob& job, int signal) {
  if (job.group) return job.group->is_empty();
  const bool group_is_empty = job.in_place || ::kill(-leader, signal) != 0;
  const std::vector<pid_t> children = read_own_children();
  const auto is_orphan = [this](pid_t pid) { return !is_own(pid); };
  const bool orphans = std::any_of(children.begin(), children.end(), is_orphan);
  if (!orphans) return group_is_empty;
  return processes_of(job).empty() && group_is_empty;
}

}  // namespace sluice
