#include "service/runner.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "service/job_processes.h"
#include "service/process_table.h"
#include "service/spawn.h"

namespace sluice {
namespace {

constexpr Duration kLookLasts = std::chrono::milliseconds(20);
constexpr const char* kMarker = "SLUICE_RUNNER";

/// A job from its start until all of it has ended.
struct Job {
  explicit Job(pid_t leader) : processes(leader) {}

  JobProcesses processes;
  std::string marker;  ///< In the environment of all it starts, unless they clear it.
  TimePoint began;
  Duration suspended_for{0};
  std::optional<TimePoint> suspended_at;
  std::optional<std::uint64_t> host_oom_kills;  ///< When it began.
  bool was_killed_by_us = false;
  std::optional<int> status;  ///< Of the process it began with, once that has ended.
  bool in_place = false;
  JobUsage usage;
};

/// The largest resident set this process has had. exec carries it over into the child's rusage.
Bytes own_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Bytes{static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

/// Whether the process died as one does that the kernel kills, or a shell says so of its child.
bool looks_killed(int status) {
  if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL;
  return WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL;
}

}  // namespace

class Runner::Impl {
 public:
  explicit Impl(Groups) {
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto self = read_process(getpid());
    marker_ = std::to_string(getpid()) + "-" + std::to_string(self ? self->started : 0) + ".";
    means_ = "process groups and /proc: cgroups are switched off";
  }

  ~Impl() {
    for (auto& [leader, job] : jobs_) end(leader);
    wait_for_all();
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
  }

  std::variant<pid_t, std::string> start(const Command& command) {
    if (command.argv.empty()) return std::string("no command to run");
    Spawning spawning = spawning_of(command);
    const std::string marker = marker_ + std::to_string(++last_number_);
    spawning.environment[kMarker] = marker;
    Spawned spawned = spawn(spawning);
    start_error_ = spawned.error;
    if (spawned.pid == 0) return std::move(spawned.reason);
    if (spawned.nice_error != 0 && command.warn) {
      command.warn("nice " + std::to_string(*command.nice) +
                   " could not be set: " + std::strerror(spawned.nice_error));
    }
    Job& job = jobs_.emplace(spawned.pid, Job(spawned.pid)).first->second;
    job.marker = std::string(kMarker) + "=" + marker;
    job.began = Clock::now();
    job.in_place = command.in_place.has_value();
    job.host_oom_kills = read_host_oom_kills();
    return spawned.pid;
  }

  std::vector<RunEnd> reap() {
    collect();
    std::vector<RunEnd> ends;
    for (auto it = jobs_.begin(); it != jobs_.end();) {
      if (it->second.status && is_over(it->first, it->second)) {
        ends.push_back(end_of(it->first, it->second));
        it = jobs_.erase(it);
      } else {
        ++it;
      }
    }
    return ends;
  }

  JobUsage measure(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return {};
    Job& job = found->second;
    if (job.status) return job.usage;
    attribute_orphans();
    const auto& all = look();
    JobUsage& usage = job.usage;
    usage.wall = wall_of(job);
    usage.cpu = std::max(usage.cpu, job.processes.cpu(all));
    usage.memory = memory_of(job.processes.alive(all));
    usage.peak_memory = std::max(usage.peak_memory, usage.memory);
    return usage;
  }

  void signal(pid_t leader, int number) {
    if (const auto found = jobs_.find(leader); found != jobs_.end()) {
      signal_each(fresh_members(found->second), number);
    }
  }

  void suspend(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end() || found->second.suspended_at) return;
    found->second.suspended_at = Clock::now();
    stop_all(found->second);
  }

  void resume(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end() || !found->second.suspended_at) return;
    Job& job = found->second;
    job.suspended_for += Clock::now() - *std::exchange(job.suspended_at, std::nullopt);
    signal_each(fresh_members(job), SIGCONT);
  }

  bool is_suspended(pid_t leader) const {
    const auto found = jobs_.find(leader);
    return found != jobs_.end() && found->second.suspended_at.has_value();
  }

  void end(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return;
    found->second.was_killed_by_us = true;
    kill_all(found->second);
  }

  std::vector<pid_t> running() const {
    std::vector<pid_t> leaders;
    for (const auto& [leader, job] : jobs_) leaders.push_back(leader);
    return leaders;
  }

  const std::string& means() const { return means_; }
  int start_error() const { return start_error_; }

 private:
  static Spawning spawning_of(const Command& command) {
    Spawning spawning;
    spawning.argv = command.argv;
    spawning.directory = command.directory;
    spawning.environment = command.environment;
    spawning.nice = command.nice;
    spawning.streams[0] = command.input;
    spawning.streams[1] = command.output;
    spawning.streams[2] = command.error;
    spawning.kept = command.kept;
    if (!command.in_place) return spawning;
    spawning.place = Spawning::Place::in_place;
    spawning.mask = *command.in_place;
    spawning.death_signal = SIGTERM;
    return spawning;
  }

  /// Waits for every child of this thread that has ended.
  void collect() {
    int status = 0;
    rusage usage{};
    while (true) {
      const pid_t pid = wait4(-1, &status, WNOHANG | __WNOTHREAD, &usage);
      if (pid <= 0) return;
      note_ended(pid, status, usage);
    }
  }

  void note_ended(pid_t pid, int status, const rusage& usage) {
    const auto leader = jobs_.find(pid);
    if (leader == jobs_.end()) {
      if (Job* job = owner_of_ended(pid)) job->processes.note_ended(usage);
      return;
    }
    Job& job = leader->second;
    job.processes.note_ended(usage);
    job.status = status;
    job.usage.wall = wall_of(job);
    job.suspended_at.reset();
  }

  /// An orphan that has ended is no longer to be found in /proc.
  Job* owner_of_ended(pid_t pid) {
    for (auto& [leader, job] : jobs_) {
      if (job.processes.has_seen(pid)) return &job;
    }
    return jobs_.size() == 1 ? &jobs_.begin()->second : nullptr;
  }

  /// Gives the orphans that this process has adopted to the jobs they come from.
  void attribute_orphans() {
    for (const pid_t pid : read_own_children()) {
      if (jobs_.contains(pid)) continue;
      const auto orphan = read_process(pid);
      if (!orphan || !orphan->is_alive()) continue;
      if (Job* job = owner_of(*orphan)) job->processes.adopt(*orphan);
    }
  }

  Job* owner_of(const ProcessFacts& orphan) {
    for (auto& [leader, job] : jobs_) {
      if (job.processes.knows(orphan)) return &job;
    }
    for (auto& [leader, job] : jobs_) {
      if (began_with(orphan.pid, job.marker)) return &job;
    }
    return jobs_.size() == 1 ? &jobs_.begin()->second : nullptr;
  }

  /// Every process there is, at most a moment ago: one look serves the measuring of many jobs.
  const std::vector<ProcessFacts>& look() {
    const TimePoint now = Clock::now();
    if (looked_at_ && now - *looked_at_ < kLookLasts) return look_;
    looked_at_ = now;
    look_ = read_processes();
    return look_;
  }

  std::vector<ProcessFacts> fresh_members(Job& job) {
    attribute_orphans();
    looked_at_.reset();
    return job.processes.alive(look());
  }

  /// Stops all of it, and what it starts while it is being stopped.
  void stop_all(Job& job) {
    constexpr int kMostRounds = 20;
    for (int round = 0; round < kMostRounds; ++round) {
      std::vector<ProcessFacts> going = fresh_members(job);
      std::erase_if(going, [](const ProcessFacts& each) { return each.is_stopped(); });
      if (going.empty()) return;
      signal_each(going, SIGSTOP);
    }
  }

  void kill_all(Job& job) {
    stop_all(job);
    signal_each(fresh_members(job), SIGKILL);
  }

  /// Whether nothing of a job is left whose first process has ended; ends what is. Costs no walk
  /// of /proc where nothing is.
  bool is_over(pid_t leader, Job& job) {
    const bool group_is_empty = job.in_place || kill(-leader, SIGKILL) != 0;
    const std::vector<pid_t> children = read_own_children();
    const auto is_orphan = [this](pid_t pid) { return !jobs_.contains(pid); };
    const bool orphans = std::any_of(children.begin(), children.end(), is_orphan);
    if (group_is_empty && !orphans) return true;
    if (fresh_members(job).empty()) return group_is_empty;
    kill_all(job);
    collect();
    return fresh_members(job).empty();
  }

  RunEnd end_of(pid_t leader, Job& job) {
    JobUsage& usage = job.usage;
    usage.cpu = std::max(usage.cpu, job.processes.cpu_of_ended());
    usage.memory = Bytes{0};
    if (job.processes.largest() > own_peak_) {
      usage.peak_memory = std::max(usage.peak_memory, job.processes.largest());
    }
    usage.read = job.processes.read();
    usage.written = job.processes.written();
    RunEnd end{leader, *job.status, false, usage};
    const auto kills = read_host_oom_kills();
    const bool host_killed = kills && job.host_oom_kills && *kills > *job.host_oom_kills;
    end.oom_killed = host_killed && !job.was_killed_by_us && looks_killed(*job.status);
    if (end.oom_killed) end.usage.oom_kills = 1;
    return end;
  }

  static Duration wall_of(const Job& job) {
    const TimePoint now = Clock::now();
    const Duration paused = job.suspended_at ? now - *job.suspended_at : Duration{0};
    return now - job.began - job.suspended_for - paused;
  }

  /// At the end of this process: not longer than a process that hangs in the kernel may.
  void wait_for_all() {
    constexpr int kMostRounds = 5000;
    for (int round = 0; round < kMostRounds && !jobs_.empty(); ++round) {
      reap();
      if (!jobs_.empty()) poll(nullptr, 0, 1);
    }
  }

  std::map<pid_t, Job> jobs_;
  std::string marker_;
  std::uint64_t last_number_ = 0;
  std::string means_;
  int start_error_ = 0;
  int was_subreaper_ = 0;
  Bytes own_peak_ = own_peak();
  std::vector<ProcessFacts> look_;
  std::optional<TimePoint> looked_at_;
};

Runner::Runner(Groups groups) : impl_(std::make_unique<Impl>(groups)) {}
Runner::~Runner() = default;
const std::string& Runner::means() const { return impl_->means(); }
std::variant<pid_t, std::string> Runner::start(const Command& command) {
  return impl_->start(command);
}
int Runner::start_error() const { return impl_->start_error(); }
std::vector<RunEnd> Runner::reap() { return impl_->reap(); }
JobUsage Runner::measure(pid_t job) { return impl_->measure(job); }
void Runner::signal(pid_t job, int number) { impl_->signal(job, number); }
void Runner::suspend(pid_t job) { impl_->suspend(job); }
void Runner::resume(pid_t job) { impl_->resume(job); }
bool Runner::is_suspended(pid_t job) const { return impl_->is_suspended(job); }
void Runner::end(pid_t job) { impl_->end(job); }
std::vector<pid_t> Runner::running() const { return impl_->running(); }

}  // namespace sluice
