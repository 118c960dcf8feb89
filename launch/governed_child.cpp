#include "launch/governed_child.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "base/process_table.h"
#include "base/readiness.h"
#include "base/terminal_stop.h"
#include "base/text.h"
#include "client/answer.h"
#include "client/submission.h"
#include "process/child/foreground_child.h"
#include "process/child/job_processes.h"
#include "process/child/resume_on_exit.h"
#include "process/child/sampling_schedule.h"
#include "process/child/spawn.h"
#include "sluice/units.h"

namespace sluice {
namespace {

/// How long the end may wait for the daemon to take the report: it comes within 1 ms unless the
/// daemon hangs.
constexpr Duration kFarewell = std::chrono::milliseconds(100);

/// A daemon that has not answered for this long suspends nothing.
constexpr Duration kSilent = std::chrono::seconds(5);

/// A compiler's driver exits with an error of its own when the kernel kills what it has started. It
/// counts as killed if the kernel killed something meanwhile, and the job held this much.
constexpr Bytes kWorthKilling{std::uint64_t{64} << 20};

/// Until no process is left that started while the others were being stopped.
constexpr int kMostAttempts = 8;

/// The connection while the child runs: heartbeats out, orders in.
class Reports {
 public:
  Reports(Client& client, std::string job) : client_(client), path_("/v1/jobs/" + std::move(job)) {}

  /// -1 if the daemon is gone.
  int descriptor() const { return is_broken_ ? -1 : client_.descriptor(); }

  void beat(const JobUsage& usage, TimePoint now) {
    if (is_broken_) is_broken_ = client_.reconnect().has_value();
    if (is_broken_ || is_owed_) return;
    is_broken_ = client_.send("POST", path_ + "/heartbeat", heartbeat_body(usage)).has_value();
    is_owed_ = !is_broken_;
    asked_ = now;
  }

  /// Reads what has arrived; call it when the descriptor is readable.
  void hear() {
    const auto answer = client_.receive();
    if (!answer) return;
    const auto* reply = std::get_if<ClientReply>(&*answer);
    // The daemon sends nothing unasked: anything else is the end of the connection.
    is_broken_ = !reply || !is_owed_;
    is_owed_ = false;
    suspended_.clear();
    if (!reply) return;
    auto job = read_answer(*reply, client_.place());
    if (auto* read = std::get_if<JobAnswer>(&job)) suspended_ = std::move(read->suspended);
  }

  /// Why the job must stand still; empty if it may run.
  const std::string& suspended(TimePoint now) {
    if (is_broken_ || (is_owed_ && now - asked_ > kSilent)) suspended_.clear();
    return suspended_;
  }

  void end(const std::string& outcome, const JobUsage& usage) {
    // A further request on a connection that owes an answer would close it.
    wait();
    if (is_broken_ || is_owed_) is_broken_ = client_.reconnect().has_value();
    if (is_broken_) return;
    is_owed_ = !client_.send("DELETE", path_ + "?outcome=" + outcome, end_body(usage)).has_value();
    wait();
  }

 private:
  void wait() {
    const TimePoint until = Clock::now() + kFarewell;
    while (is_owed_ && !is_broken_) {
      if (!is_readable(client_.descriptor(), until - Clock::now())) return;
      hear();
    }
  }

  Client& client_;
  const std::string path_;
  bool is_owed_ = false;  ///< An answer is outstanding.
  bool is_broken_ = false;
  std::string suspended_;
  TimePoint asked_;
};

/// Stops and continues a child with its descendants, which share this process's process group. If
/// this process dies, a guard continues what it has stopped.
class TreeSuspension {
 public:
  explicit TreeSuspension(pid_t child) : processes_(child) {}
  ~TreeSuspension() { go_on(); }
  TreeSuspension(const TreeSuspension&) = delete;
  TreeSuspension& operator=(const TreeSuspension&) = delete;

  /// May be called again; it then stops what the child has started meanwhile.
  void stop() {
    if (!guard_) guard_.emplace();
    guard_->renew();
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      if (!guard_->stop(processes_.alive(read_processes()), stopped_)) return;
    }
  }

  void go_on() {
    for (const ProcessIdentity& process : stopped_) guard_->resume(process);
    stopped_.clear();
  }

 private:
  JobProcesses processes_;
  std::optional<ResumeOnExit> guard_;
  std::set<ProcessIdentity> stopped_;
};

class GovernedChild {
 public:
  GovernedChild(pid_t child, Client& client, const SignalDescriptor& signals,
                const GovernedCommand& command)
      : child_(child),
        foreground_(child),
        measured_by_(command.measured_by),
        signals_(signals),
        reports_(client, command.job),
        suspension_(child),
        processes_(child),
        began_(Clock::now()),
        due_(pace_.first(began_)),
        kills_before_(read_host_oom_kills()) {}

  ChildEnd wait() {
    while (true) {
      if (reap()) return end();
      const TimePoint now = Clock::now();
      if (now >= due_) beat(now);
      obey(now);
      std::array<pollfd, 2> ready{
          {{signals_.descriptor(), POLLIN, 0}, {reports_.descriptor(), POLLIN, 0}}};
      poll(ready.data(), ready.size(), foreground_.patience(poll_timeout(due_ - Clock::now())));
      if (ready[1].revents != 0) reports_.hear();
      foreground_.forward(signals_, [&](int signal) { return heed(signal); });
    }
  }

 private:
  void beat(TimePoint now) {
    JobUsage usage;
    if (measured_by_ == GovernedCommand::MeasuredBy::launcher) {
      const JobProcesses::Sample sample = processes_.sample(read_processes());
      usage.cpu = sample.cpu;
      usage.memory = memory_of(sample.alive);
    }
    usage.wall = wall(now);
    reports_.beat(usage, now);
    due_ = pace_.next(JobUsage{}, now);
  }

  /// Without the time that it stood still.
  Duration wall(TimePoint now) const {
    const Duration still = suspended_at_ ? now - *suspended_at_ : Duration{0};
    return now - began_ - suspended_for_ - still;
  }

  void obey(TimePoint now) {
    const std::string& why = is_ending_ ? std::string() : reports_.suspended(now);
    if (why.empty()) return go_on(now);
    const bool begins = !suspended_at_;
    if (begins) suspended_at_ = now;
    suspension_.stop();
    if (begins) std::fprintf(stderr, "sluice-launch: suspended: %s\n", why.c_str());
  }

  void go_on(TimePoint now) {
    if (!suspended_at_) return;
    suspension_.go_on();
    suspended_for_ += now - *std::exchange(suspended_at_, std::nullopt);
    if (!is_ending_) std::fputs("sluice-launch: resumed\n", stderr);
  }

  /// Signals from the terminal have reached the child, which is in the same process group. A
  /// suspended child receives none: it goes on for good when it is to end. Returns whether it was
  /// suspended.
  bool heed(int signal) {
    if (!suspended_at_) return false;
    if (signal == SIGTSTP) stop_by_sigtstp();
    is_ending_ = is_ending_ || signal == SIGINT || signal == SIGTERM || signal == SIGHUP ||
                 signal == SIGQUIT;
    return true;
  }

  /// Whether the child has ended. Stops this process if the child has stopped by itself.
  bool reap() {
    rusage used{};
    if (!suspended_at_) foreground_.stop_with_it();
    const pid_t found = wait4(child_, &status_, WNOHANG, &used);
    if (found == 0) return false;
    if (found > 0) processes_.note_ended(used);
    return true;
  }

  ChildEnd end() {
    ChildEnd end;
    if (WIFSIGNALED(status_)) {
      end.signal = WTERMSIG(status_);
    } else {
      end.status = WEXITSTATUS(status_);
    }
    JobUsage usage;
    usage.wall = wall(Clock::now());
    usage.cpu = processes_.cpu_of_ended();
    usage.peak_memory = processes_.largest();
    usage.read = processes_.read();
    usage.written = processes_.written();
    const bool failed = end.status != 0 || end.signal != 0;
    end.killed_for_memory = failed && was_killed_for_memory(end);
    if (end.killed_for_memory) {
      usage.oom_kills = 1;
      std::fprintf(stderr, "sluice-launch: the kernel killed it: out of memory at %s\n",
                   bytes_text(usage.peak_memory).c_str());
    }
    reports_.end(!failed ? "ok" : end.killed_for_memory ? "oom" : "failed", usage);
    return end;
  }

  bool was_killed_for_memory(const ChildEnd& end) const {
    const auto kills = read_host_oom_kills();
    if (!kills || !kills_before_ || *kills <= *kills_before_) return false;
    if (end.signal != 0) return end.signal == SIGKILL;
    return processes_.largest() >= kWorthKilling;
  }

  const pid_t child_;
  ForegroundChild foreground_;
  const GovernedCommand::MeasuredBy measured_by_;
  const SignalDescriptor& signals_;
  Reports reports_;
  TreeSuspension suspension_;
  JobProcesses processes_;
  const TimePoint began_;
  SamplingSchedule pace_;
  TimePoint due_;
  const std::optional<std::uint64_t> kills_before_;
  std::optional<TimePoint> suspended_at_;
  Duration suspended_for_{0};
  bool is_ending_ = false;  ///< A signal has asked it to end: it is suspended no more.
  int status_ = 0;
};

}  // namespace

ChildEnd run_governed(const GovernedCommand& command, Client& client,
                      const SignalDescriptor& signals) {
  Spawning spawning;
  spawning.place = Spawning::Place::in_place;
  spawning.argv = command.argv;
  spawning.environment = command.environment;
  spawning.nice = command.nice;
  spawning.mask = signals.mask_before();
  spawning.death_signal = SIGTERM;
  const Spawned spawned = spawn(spawning);
  if (spawned.pid == 0) {
    ChildEnd end;
    end.start_error = spawned.error;
    return end;
  }
  return GovernedChild(spawned.pid, client, signals, command).wait();
}

}  // namespace sluice
