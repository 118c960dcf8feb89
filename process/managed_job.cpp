#include "process/managed_job.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/process_table.h"

namespace sluice {
namespace {

/// The memory of a job that does not run is read only so often, in measurements.
constexpr int kIdleSamples = 8;

/// Whether the process died of SIGKILL, the kernel's way, or a shell reports that of its child.
bool seems_killed(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL;
  return WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL;
}

Spawning spawning_of(const Command& command) {
  Spawning spawning;
  static_cast<ProcessSettings&>(spawning) = command;
  spawning.streams[0] = command.input;
  spawning.streams[1] = command.output;
  spawning.streams[2] = command.error;
  spawning.before_exec = command.before_exec;
  if (!command.in_place) return spawning;
  spawning.place = Spawning::Place::in_place;
  spawning.mask = *command.in_place;
  spawning.death_signal = SIGTERM;
  return spawning;
}

}  // namespace

Duration ManagedJob::wall(TimePoint now) const {
  const Duration paused = suspended_at ? now - *suspended_at : Duration{0};
  return now - began - suspended_for - paused;
}

void ManagedJob::measure_group() {
  const auto cpu = group->cpu();
  // A group that has not run has taken no memory; it may have been swapped out.
  const bool is_still = cpu && cpu == group_cpu_ && sample_count % kIdleSamples != 0;
  if (is_still) {
    has_run = false;
    return;
  }
  const auto charged = group->charged();
  has_run = !cpu || !charged || cpu != group_cpu_ || charged != group_charged_;
  group_cpu_ = cpu;
  group_charged_ = charged;
  if (cpu) usage.cpu = std::max(usage.cpu, *cpu);
  if (ends_at_oom_kill) usage.oom_kills = group->oom_kills().value_or(0);
  if (!charged || !has_run) return;
  usage.source = JobUsage::Source::cgroup;
  usage.memory = group->working_set().value_or(usage.memory);
}

void ManagedJob::measure_ended_group() {
  if (const auto cpu = group->cpu()) usage.cpu = std::max(usage.cpu, *cpu);
  if (const auto io = group->io()) {
    usage.read = io->read;
    usage.written = io->written;
  }
  const auto memory = group->working_set();
  if (!memory) return;
  usage.source = JobUsage::Source::cgroup;
  usage.memory = *memory;
  usage.oom_kills = group->oom_kills().value_or(0);
}

void ManagedJob::estimate_delay() {
  const auto waited = static_cast<double>(delay.of_job(usage.cpu).count());
  usage.cpu_delay = {};
  // Many jobs are too short to be seen waiting, and the number of CPUs is read from a file.
  if (waited <= 0) return;
  const double wall = static_cast<double>(usage.wall.count());
  const double cpu = static_cast<double>(usage.cpu.count());
  const double cpus = std::max(1.0, static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  usage.cpu_delay = Duration(std::llround(std::min(waited, std::max(0.0, cpus * wall - cpu))));
}

RunEnd ManagedJob::end(pid_t leader) {
  usage.cpu = std::max(usage.cpu, processes.cpu_of_ended());
  usage.read = processes.read();
  usage.written = processes.written();
  if (group) measure_ended_group();
  estimate_delay();
  // v1 does not know the owner of pages that are written back later.
  usage.written = std::max(*usage.written, processes.written());
  usage.peak_memory = peak_of(evidence());
  usage.memory = Bytes{0};
  if (!counts_oom_kills() && seems_oom_killed()) usage.oom_kills = 1;
  return RunEnd{leader, *status, usage.oom_kills > 0, usage, left.value_or(LeftProcesses{})};
}

PeakEvidence ManagedJob::evidence() const {
  PeakEvidence evidence;
  evidence.sampled = usage.peak_memory;
  evidence.sample_count = sample_count;
  if (processes.largest() > peak_at_start) evidence.largest_process = processes.largest();
  if (!group) return evidence;
  evidence.most_charged = group->most_charged();
  evidence.inactive_file = group->inactive_file();
  return evidence;
}

/// For a job without a memory cgroup: it died of SIGKILL while the kernel's OOM killer was active.
bool ManagedJob::seems_oom_killed() const {
  if (was_killed_by_us || !seems_killed(*status)) return false;
  const auto kills = read_host_oom_kills();
  return kills && host_oom_kills && *kills > *host_oom_kills;
}

Spawned spawn_job(const JobGroup* group, const Command& command, const std::string& marker,
                  std::atomic<pid_t>* number) {
  Spawning spawning = spawning_of(command);
  spawning.number = number;
  if (!group) {
    spawning.environment[kJobMarker] = marker;
    return spawn(spawning);
  }
  errno = 0;
  spawning.joins = group->open_joins();
  spawning.born_in = group->open_clone_target();
  // Spawned all the same, the job would seem to be kept out of its group, and no later job got one.
  const int error = errno;
  Spawned spawned;
  if (is_lack_of_descriptors(error)) {
    spawned.error = error;
    spawned.reason = errno_text("cannot open the job's cgroup", error);
  } else {
    spawned = spawn(spawning);
  }
  for (const int join : spawning.joins) close(join);
  if (spawning.born_in >= 0) close(spawning.born_in);
  return spawned;
}

}  // namespace sluice
