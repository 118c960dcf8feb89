#include "process/runner.h"

#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "base/process_table.h"
#include "base/suggest.h"
#include "base/text.h"
#include "process/cgroup/root.h"
#include "process/job_signaller.h"
#include "process/managed_job.h"
#include "process/orphan_reaper.h"

namespace sluice {
namespace {

CgroupRoot::Kind kind_of(Runner::Groups groups) {
  if (groups == Runner::Groups::v1) return CgroupRoot::Kind::v1;
  return groups == Runner::Groups::v2 ? CgroupRoot::Kind::v2 : CgroupRoot::Kind::best;
}

/// This process's peak resident set. exec carries it over into the child's rusage, which may report
/// slightly more: the kernel counts pages per CPU and adds them up late.
Bytes own_peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  return Bytes{bytes + bytes / 32};
}

}  // namespace

class Runner::Impl {
 public:
  explicit Impl(Groups groups) {
    prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper_);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto self = read_process(getpid());
    marker_ = std::to_string(getpid()) + "-" + std::to_string(self ? self->started : 0) + ".";
    isolation_description_ = "process groups and /proc: cgroups are off";
    if (groups != Groups::off) home_.emplace(kind_of(groups));
    if (home_) isolation_description_ = home_->isolation_description();
    guard_.emplace(GuardedWorld{home_ ? home_->folders() : std::vector<std::string>{},
                                home_ ? home_->locks() : std::vector<int>{},
                                std::string(kJobMarker) + "=" + marker_});
    reach_.set_guard(guard_->pid());
  }

  ~Impl() {
    for (auto& [leader, job] : jobs_) end(leader);
    wait_for_all();
    prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
  }

  std::variant<pid_t, std::string> start(const Command& command) {
    if (command.argv.empty()) return std::string("no command to run");
    ManagedJob job;
    job.group = group_for(command);
    start_error_ = 0;
    if (std::string refusal = limit(job, command); !refusal.empty()) return refusal;
    if (command.in_place) guard_->be_graceful();
    const std::string marker = marker_ + std::to_string(++last_number_);
    // Taken before the process exists, so that the CPU time of its first moments counts.
    job.began = Clock::now();
    std::atomic<pid_t>* number = guard_->leaders().next();
    Spawned spawned = spawn_job(job.group.get(), command, marker, number);
    if (spawned.kept_out) {
      guard_->leaders().clear_next();
      isolation_description_ = "process groups and /proc: " + spawned.reason;
      home_is_shut_ = true;
      job.group.reset();
      if (std::string refusal = limit(job, command); !refusal.empty()) return refusal;
      spawned = spawn_job(nullptr, command, marker, number);
    }
    // Read once the child executes the command: until then its peak may have grown with this
    // process.
    job.peak_at_start = own_peak();
    start_error_ = spawned.error;
    if (spawned.pid == 0) {
      guard_->leaders().clear_next();
      return std::move(spawned.reason);
    }
    if (spawned.nice_error != 0 && command.warn) {
      command.warn("cannot set nice " + std::to_string(*command.nice) + ": " +
                   std::strerror(spawned.nice_error));
    }
    job.processes = JobProcesses(spawned.pid);
    job.marker = std::string(kJobMarker) + "=" + marker + '\0';
    job.in_place = command.in_place.has_value();
    if (!job.counts_oom_kills()) job.host_oom_kills = host_oom_kills_before(job.began);
    guard_->leaders().add(spawned.pid);
    if (job.in_place) guard_->do_not_wait();
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
    ManagedJob& job = found->second;
    if (job.status) return job.usage;
    job.usage.wall = job.wall(Clock::now());
    ++job.sample_count;
    if (!job.is_measured_by_group()) reach_.measure_processes(job);
    if (job.group) job.measure_group();
    if (job.ends_at_oom_kill && job.usage.oom_kills > 0) end(leader);
    if (job.has_run) {
      reach_.sample_delay(job);
      job.estimate_delay();
    }
    job.usage.peak_memory = std::max(job.usage.peak_memory, job.usage.memory);
    return job.usage;
  }

  void signal(pid_t leader, int number) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return;
    for (const pid_t pid : reach_.processes_of(found->second)) kill(pid, number);
  }

  void suspend(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end() || found->second.suspended_at) return;
    found->second.suspended_at = Clock::now();
    reach_.stop(found->second);
  }

  void resume(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end() || !found->second.suspended_at) return;
    ManagedJob& job = found->second;
    job.suspended_for += Clock::now() - *std::exchange(job.suspended_at, std::nullopt);
    reach_.resume(job);
  }

  bool is_suspended(pid_t leader) const {
    const auto found = jobs_.find(leader);
    return found != jobs_.end() && found->second.suspended_at.has_value();
  }

  void end(pid_t leader) {
    const auto found = jobs_.find(leader);
    if (found == jobs_.end()) return;
    found->second.was_killed_by_us = true;
    reach_.kill(found->second);
  }

  std::vector<pid_t> running() const {
    std::vector<pid_t> leaders;
    for (const auto& [leader, job] : jobs_) leaders.push_back(leader);
    return leaders;
  }

  const std::string& isolation_description() const { return isolation_description_; }
  int start_error() const { return start_error_; }

 private:
  std::unique_ptr<JobGroup> group_for(const Command& command) {
    const bool is_limited = command.memory_high || command.memory_max;
    if (command.group == Command::Group::unneeded && !is_limited) return nullptr;
    if (!home_ || !home_->is_usable() || home_is_shut_) return nullptr;
    auto made = home_->make();
    if (auto* problem = std::get_if<std::string>(&made)) {
      isolation_description_ = "process groups and /proc: " + *problem;
      return nullptr;
    }
    return std::move(std::get<std::unique_ptr<JobGroup>>(made));
  }

  /// Returns "", or why the job must not run: a job to be killed at its limit must have that limit,
  /// and for lack of descriptors, which is then the `start_error_`, a limit can be set later.
  std::string limit(ManagedJob& job, const Command& command) {
    if (command.memory_high) {
      const LimitProblem problem = slow_down(job, command);
      if (problem.lack != 0) return not_limited(problem, "high");
    }
    if (!command.memory_max) return {};
    const LimitProblem problem = job.group ? job.group->limit_memory({}, command.memory_max)
                                           : LimitProblem{isolation_description_};
    if (!problem.text.empty()) return not_limited(problem, "max");
    job.ends_at_oom_kill = job.group->kills_one_process();
    return {};
  }

  std::string not_limited(const LimitProblem& problem, const std::string& enforced) {
    start_error_ = problem.lack;
    return "not started: its memory cannot be limited (memory.enforce: " + enforced +
           "): " + problem.text;
  }

  /// A job whose limit can never be set runs without it.
  LimitProblem slow_down(const ManagedJob& job, const Command& command) {
    LimitProblem problem{job.group ? job.group->why_it_cannot_swap(read_host_swap())
                                   : isolation_description_};
    if (job.group && !problem.text.empty()) problem.text += ", so a job at its limit would stall";
    if (problem.text.empty()) problem = job.group->limit_memory(command.memory_high, {});
    const bool is_final = !problem.text.empty() && problem.lack == 0;
    if (is_final && command.warn && said_.insert(problem.text).second) {
      command.warn(
          "runs without a memory limit (memory.enforce: high), as does every job with this "
          "problem: " +
          problem.text);
    }
    return problem;
  }

  /// Reaps every child of this thread that has ended.
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
    reach_.set_guard(guard_->pid());
  }

  void note_ended(pid_t pid, int status, const rusage& usage) {
    const auto leader = jobs_.find(pid);
    if (leader == jobs_.end()) {
      if (ManagedJob* job = reach_.owner_of_ended(pid)) job->processes.note_ended(usage);
      return;
    }
    ManagedJob& job = leader->second;
    job.processes.note_ended(usage);
    job.status = status;
    job.usage.wall = job.wall(Clock::now());
    job.suspended_at.reset();
  }

  /// Whether a job whose first process has ended has no processes left; kills those that are left.
  bool is_over(pid_t leader, ManagedJob& job) {
    constexpr int kNone = 0;
    if (reach_.is_gone(leader, job, kNone)) return true;
    // One that a signal ended, such as Ctrl-C, left nothing on purpose.
    const bool has_left = WIFEXITED(*job.status) && !job.was_killed_by_us;
    if (has_left && !job.left) job.left = reach_.left_of(job);
    reach_.kill(job);
    collect();
    return reach_.is_gone(leader, job, SIGKILL);
  }

  /// A count that is up to 50 ms old, so that a burst of jobs reads the file, which takes 20 us,
  /// once.
  std::optional<std::uint64_t> host_oom_kills_before(TimePoint now) {
    if (!kills_counted_at_ || now - *kills_counted_at_ > std::chrono::milliseconds(50)) {
      host_oom_kills_ = read_host_oom_kills();
      kills_counted_at_ = now;
    }
    return host_oom_kills_;
  }

  RunEnd end_of(pid_t leader, ManagedJob& job) {
    guard_->leaders().remove(leader);
    return job.end(leader);
  }

  /// When this process ends; gives up after 5 s, in case a process hangs in the kernel.
  void wait_for_all() {
    constexpr int kMostAttempts = 5000;
    for (int attempt = 0; attempt < kMostAttempts && !jobs_.empty(); ++attempt) {
      reap();
      if (!jobs_.empty()) poll(nullptr, 0, 1);
    }
  }

  std::optional<CgroupRoot> home_;
  bool home_is_shut_ = false;
  std::optional<OrphanReaper> guard_;
  ManagedJobs jobs_;
  JobSignaller reach_{jobs_};
  std::string marker_;
  std::uint64_t last_number_ = 0;
  std::optional<std::uint64_t> host_oom_kills_;
  std::optional<TimePoint> kills_counted_at_;
  std::string isolation_description_;
  int start_error_ = 0;
  std::set<std::string> said_;  ///< Warnings already given about limits that could not be set.
  int was_subreaper_ = 0;
};

Runner::Runner(Groups groups) : impl_(std::make_unique<Impl>(groups)) {}
Runner::~Runner() = default;
const std::string& Runner::isolation_description() const { return impl_->isolation_description(); }
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

bool RunEnd::ok() const { return !oom_killed && WIFEXITED(status) && WEXITSTATUS(status) == 0; }

std::string RunEnd::sentence() const {
  if (oom_killed) return "killed for lack of memory at " + bytes_text(usage.peak_memory);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "exit status " + std::to_string(WEXITSTATUS(status));
}

std::string RunEnd::about_left() const {
  if (left.count == 0) return "";
  std::string names = join_words(left.names);
  const std::size_t unnamed = left.count - left.names.size();
  if (unnamed > 0) names += " and " + std::to_string(unnamed) + " more";
  return "killed " + std::to_string(left.count) + (left.count == 1 ? " process" : " processes") +
         " that the command left running: " + names;
}

}  // namespace sluice
