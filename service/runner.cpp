#include "service/runner.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "service/group_home.h"
#include "service/job_group.h"
#include "service/job_guard.h"
#include "service/job_processes.h"
#include "service/process_table.h"
#include "service/spawn.h"

namespace sluice {
namespace {

constexpr Duration kLookLasts = std::chrono::milliseconds(20);
constexpr const char* kMarker = "SLUICE_RUNNER";

/// A job from its start until all of it has ended.
struct Job {
  JobProcesses processes{0};
  std::unique_ptr<JobGroup> group;  ///< None: it is held by what /proc shows.
  int looks = 0;
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

GroupHome::Kind kind_of(Runner::Groups groups) {
  if (groups == Runner::Groups::v1) return GroupHome::Kind::v1;
  return groups == Runner::Groups::v2 ? GroupHome::Kind::v2 : GroupHome::Kind::best;
}

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
  explicit Impl(Groups groups) {
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto self = read_process(getpid());
    marker_ = std::to_string(getpid()) + "-" + std::to_string(self ? self->started : 0) + ".";
    means_ = "process groups and /proc: cgroups are switched off";
    if (groups != Groups::off) home_.emplace(kind_of(groups));
    if (home_) means_ = home_->means();
    guard_.emplace(GuardedWorld{home_ ? home_->folders() : std::vector<std::string>{},
                                std::string(kMarker) + "=" + marker_});
  }

  ~Impl() {
    for (auto& [leader, job] : jobs_) end(leader);
    wait_for_all();
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
  }

  std::variant<pid_t, std::string> start(const Command& command) {
    if (command.argv.empty()) return std::string("no command to run");
    Job job;
    job.group = group_for(command);
    const std::string marker = marker_ + std::to_string(++last_number_);
    Spawned spawned = spawn_in(job.group.get(), command, marker);
    if (spawned.kept_out) {
      means_ = "process groups and /proc: " + spawned.reason;
      home_is_shut_ = true;
      job.group.reset();
      spawned = spawn_in(nullptr, command, marker);
    }
    start_error_ = spawned.error;
    if (spawned.pid == 0) return std::move(spawned.reason);
    if (spawned.nice_error != 0 && command.warn) {
      command.warn("nice " + std::to_string(*command.nice) +
                   " could not be set: " + std::strerror(spawned.nice_error));
    }
    job.processes = JobProcesses(spawned.pid);
    job.marker = std::string(kMarker) + "=" + marker + '\0';
    job.began = Clock::now();
    job.in_place = command.in_place.has_value();
    if (!counts_oom_kills(job)) job.host_oom_kills = read_host_oom_kills();
    guard_->job_started(spawned.pid, manner_of(job));
    jobs_.emplace(spawned.pid, std::move(job));
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
    if (!ends.empty()) collect();
    return ends;
  }

  JobUsage measure(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return {};
    Job& job = found->second;
    if (job.status) return job.usage;
    job.usage.wall = wall_of(job);
    ++job.looks;
    if (!is_measured_by_group(job)) measure_processes(job);
    if (job.group) measure_group(job);
    job.usage.peak_memory = std::max(job.usage.peak_memory, job.usage.memory);
    return job.usage;
  }

  void signal(pid_t leader, int number) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return;
    for (const pid_t pid : processes_of(found->second)) kill(pid, number);
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
    let_go_on(job);
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
  std::unique_ptr<JobGroup> group_for(const Command& command) {
    if (!home_ || !home_->is_usable() || home_is_shut_) return nullptr;
    auto made = home_->make();
    if (auto* problem = std::get_if<std::string>(&made)) {
      means_ = "process groups and /proc: " + *problem;
      return nullptr;
    }
    auto group = std::move(std::get<std::unique_ptr<JobGroup>>(made));
    const std::string problem = group->limit_memory(command.memory_high, command.memory_max);
    if (!problem.empty() && command.warn) command.warn(problem);
    return group;
  }

  static Spawned spawn_in(const JobGroup* group, const Command& command,
                          const std::string& marker) {
    Spawning spawning = spawning_of(command);
    if (!group) {
      spawning.environment[kMarker] = marker;
      return spawn(spawning);
    }
    spawning.joins = group->open_joins();
    spawning.born_in = group->open_birthplace();
    Spawned spawned = spawn(spawning);
    for (const int join : spawning.joins) close(join);
    if (spawning.born_in >= 0) close(spawning.born_in);
    return spawned;
  }

  static JobGuard::Manner manner_of(const Job& job) {
    return job.in_place ? JobGuard::Manner::patient : JobGuard::Manner::at_once;
  }

  static bool counts_oom_kills(const Job& job) { return job.group && job.group->measures_memory(); }

  static bool is_measured_by_group(const Job& job) {
    return job.group && job.group->measures_memory() && job.group->measures_cpu();
  }

  void measure_processes(Job& job) {
    attribute_orphans();
    const auto& all = look();
    job.usage.cpu = std::max(job.usage.cpu, job.processes.cpu(all));
    job.usage.memory = memory_of(job.processes.alive(all));
  }

  static void measure_group(Job& job) {
    JobUsage& usage = job.usage;
    if (const auto cpu = job.group->cpu()) usage.cpu = std::max(usage.cpu, *cpu);
    if (const auto io = job.group->io()) {
      usage.read = io->read;
      usage.written = io->written;
    }
    const auto memory = job.group->working_set();
    if (!memory) return;
    usage.source = JobUsage::Source::cgroup;
    usage.memory = *memory;
    usage.oom_kills = job.group->oom_kills().value_or(0);
  }

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
      if (pid == guard_->pid()) {
        replace_guard();
      } else {
        note_ended(pid, status, usage);
      }
    }
  }

  void replace_guard() {
    guard_->replace();
    for (const auto& [leader, job] : jobs_) guard_->job_started(leader, manner_of(job));
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
      if (is_own(pid)) continue;
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

  /// Children that this process made itself.
  bool is_own(pid_t pid) const { return jobs_.contains(pid) || pid == guard_->pid(); }

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

  std::vector<pid_t> processes_of(Job& job) {
    if (job.group) return job.group->processes_in_it();
    std::vector<pid_t> pids;
    for (const ProcessFacts& each : fresh_members(job)) pids.push_back(each.pid);
    return pids;
  }

  std::vector<pid_t> going(Job& job) {
    std::vector<pid_t> pids = processes_of(job);
    std::erase_if(pids, [](pid_t pid) {
      const auto facts = read_process(pid);
      return !facts || !facts->is_alive() || facts->is_stopped();
    });
    return pids;
  }

  /// Stops all of it, and what it starts while it is being stopped.
  void stop_all(Job& job) {
    constexpr int kMostRounds = 20;
    if (job.group && job.group->can_freeze()) {
      job.group->freeze();
      return;
    }
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<pid_t> pids = going(job);
      if (pids.empty()) return;
      for (const pid_t pid : pids) kill(pid, SIGSTOP);
    }
  }

  void let_go_on(Job& job) {
    if (job.group && job.group->can_freeze()) {
      job.group->thaw();
      return;
    }
    for (const pid_t pid : processes_of(job)) kill(pid, SIGCONT);
  }

  void kill_all(Job& job) {
    stop_all(job);
    if (job.group) {
      job.group->kill();
      job.group->thaw();
    } else {
      for (const pid_t pid : processes_of(job)) kill(pid, SIGKILL);
    }
  }

  /// Whether nothing of a job is left whose first process has ended; ends what is.
  bool is_over(pid_t leader, Job& job) {
    if (!job.group) return is_over_without_group(leader, job);
    if (job.group->is_empty()) return true;
    kill_all(job);
    collect();
    return job.group->is_empty();
  }

  /// Costs no walk of /proc where nothing is left.
  bool is_over_without_group(pid_t leader, Job& job) {
    const bool group_is_empty = job.in_place || kill(-leader, SIGKILL) != 0;
    const std::vector<pid_t> children = read_own_children();
    const auto is_orphan = [this](pid_t pid) { return !is_own(pid); };
    const bool orphans = std::any_of(children.begin(), children.end(), is_orphan);
    if (group_is_empty && !orphans) return true;
    if (processes_of(job).empty()) return group_is_empty;
    kill_all(job);
    collect();
    return processes_of(job).empty();
  }

  RunEnd end_of(pid_t leader, Job& job) {
    guard_->job_ended(leader);
    JobUsage& usage = job.usage;
    usage.cpu = std::max(usage.cpu, job.processes.cpu_of_ended());
    usage.read = job.processes.read();
    usage.written = job.processes.written();
    if (job.group) measure_group(job);
    // v1 does not know whose the pages are that are written back later.
    usage.written = std::max(*usage.written, job.processes.written());
    usage.peak_memory = peak_of(evidence_of(job));
    usage.memory = Bytes{0};
    if (!counts_oom_kills(job) && looks_oom_killed(job)) usage.oom_kills = 1;
    return RunEnd{leader, *job.status, usage.oom_kills > 0, usage};
  }

  PeakEvidence evidence_of(Job& job) const {
    PeakEvidence evidence;
    evidence.sampled = job.usage.peak_memory;
    evidence.looks = job.looks;
    if (job.processes.largest() > own_peak_) evidence.largest_process = job.processes.largest();
    if (!job.group) return evidence;
    evidence.most_charged = job.group->most_charged();
    evidence.inactive_file = job.group->inactive_file();
    return evidence;
  }

  /// Without a memory cgroup: it died as one does that the kernel kills, while the kernel killed.
  static bool looks_oom_killed(const Job& job) {
    const auto kills = read_host_oom_kills();
    const bool host_killed = kills && job.host_oom_kills && *kills > *job.host_oom_kills;
    return host_killed && !job.was_killed_by_us && looks_killed(*job.status);
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

  std::optional<GroupHome> home_;
  bool home_is_shut_ = false;
  std::optional<JobGuard> guard_;
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
