#include "recognition/build_watch.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/descriptors.h"
#include "costmodel/job_key.h"
#include "recognition/brief_programs.h"
#include "recognition/build_tree.h"
#include "recognition/holder_usage.h"
#include "recognition/kill_counter.h"
#include "recognition/permit_requests.h"
#include "recognition/pipelines.h"
#include "recognition/process_end.h"
#include "recognition/process_facts.h"
#include "recognition/process_follower.h"
#include "recognition/program_class.h"
#include "recognition/run_request.h"
#include "recognition/stall_check.h"
#include "recognition/stop_reasons.h"
#include "recognition/ungoverned_runs.h"

namespace sluice {
namespace {
constexpr Duration kStallInterval = std::chrono::milliseconds(250);
constexpr Duration kCheckHeld = std::chrono::milliseconds(100);
constexpr Duration kSettle = std::chrono::milliseconds(2);
}  // namespace

class BuildWatch::Impl {
 public:
  Impl(BuildWatchOptions options, Client daemon, pid_t root)
      : options_(std::move(options)),
        name_(unique_name("build") + "-"),
        record_(options_.heaviest, name_),
        follower_(root, options_.only_proc ? ProcessSource::proc : ProcessSource::best),
        tree_(root, {.most_observed = 2 * std::thread::hardware_concurrency() + 4,
                     .timed_hold = options_.programs.timed_hold}),
        root_(root),
        stops_(options_.only_signals ? StopMethod::signals : StopMethod::best),
        requests_(std::move(daemon)),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    known_[root];
    if (!has_daemon_) tree_.daemon_lost();
    if (!has_daemon_) requests_.begin_lost();
    for (const int each : {follower_.descriptor(), requests_.descriptor()}) {
      watch_readable(epoll_.get(), each);
    }
  }

  int descriptor() const { return epoll_.get(); }
  bool awaits_answers() const { return requests_.awaits_answers(); }

  std::optional<TimePoint> next() const {
    std::optional<TimePoint> first;
    const auto consider = [&](std::optional<TimePoint> at) {
      if (at) first = first ? std::min(*first, *at) : *at;
    };
    consider(follower_.next());
    consider(requests_.next());
    consider(tree_.next());
    if (!runs_.empty()) consider(measure_at_);
    consider(ungoverned_.due());
    if (stops_.stopper().size() > 0) consider(check_held_at_);
    if (stops_.stopper().is_settling()) consider(settle_at_);
    return first;
  }

  void poll(TimePoint now) {
    for (const ProcessEvent& event : follower_.poll(now)) handle_event(event, now);
    for (const PermitNews& news : requests_.poll(now)) handle_news(news, now);
    perform(now);
    if (stops_.stopper().is_settling()) stops_.stopper().settle();
    settle_at_ = now + kSettle;
    if (now >= check_held_at_) check_held(now);
    if (now >= measure_at_) measure(now);
    ungoverned_.measure(now);
    perform(now);
    // Requests just made go out now.
    for (const PermitNews& news : requests_.poll(now)) handle_news(news, now);
    perform(now);
    if (std::exchange(has_new_stages_, false)) let_stages_go(tree_);
    perform(now);
  }

  BuildReport report() const { return completed(record_.report(Clock::now())); }
  BuildReport counts() const { return completed(record_.counts()); }
  BuildReport completed(BuildReport report) const {
    report.has_daemon = has_daemon_;
    report.knows_kills = follower_.has_events_of_kernel();
    report.most_held = most_held_;
    const auto held = tree_.held();
    report.held = held.size();
    if (!held.empty()) report.waits_for = known_.at(held.front().process).waits_for;
    add_no_permit_counts(report, tree_.beyond());
    return report;
  }

 private:
  struct Known {
    std::vector<std::string> command;
    bool is_program = false;  ///< Not a copy of its parent.
    Ticket ticket = 0;
    std::string waits_for;
    std::optional<int> status;
  };
  struct Run {
    pid_t process;
    std::string name;
    std::string program;
    Duration ran;  ///< Before it asked.
    HolderUsage usage;
    KillMark kills_before;
    bool is_granted = false;
  };

  void handle_event(const ProcessEvent& event, TimePoint now) {
    const pid_t process = event.process;
    switch (event.what) {
      case ProcessEvent::What::appeared:
        known_[process].command = known_[event.parent].command;
        stops_.started(process, event.parent);
        return tree_.appeared(process, event.parent, now);
      case ProcessEvent::What::became:
        return became(process, now);
      case ProcessEvent::What::ended:
        known_[process].status = event.status;
        brief_.gone(process, now);
        stops_.gone(process);
        ungoverned_.ended(process, {.status = event.status}, kill_counter_, record_, now);
        tree_.gone(process);
        perform(now);
        known_.erase(process);
    }
  }

  void became(pid_t process, TimePoint now) {
    std::vector<std::string> command = read_command(process);
    Known& known = known_[process];
    // A fork of this process that is not the build's command yet.
    if (process == root_ && command == own_command_) return;
    // It has ended, or is what it was.
    if (command.empty() || (known.is_program && command == known.command)) return;
    known.command = std::move(command);
    known.is_program = true;
    ungoverned_.remove(process);
    const ProgramKind kind = brief_.became(process, known.command, programs_, now);
    tree_.became(process, kind, now);
    if (!has_daemon_ && kind.what == ProgramClass::heavy) run_ungoverned(process, now);
  }

  void run_ungoverned(pid_t process, TimePoint now) {
    const KeyPlace place{.directory = read_working_directory(process)};
    const std::string key = run_request(known_[process].command, place, "", "").key;
    ungoverned_.add(process, {name_of_run(key), HolderUsage(now, Duration{0}),
                              kill_counter_.mark(process, now)});
  }

  void handle_news(const PermitNews& news, TimePoint now) {
    const auto found = runs_.find(news.ticket);
    if (news.what == PermitNews::What::lost) return lose(news.reason, now);
    if (news.what == PermitNews::What::found) {
      has_daemon_ = true;
      options_.say("the daemon answers again");
      if (news.programs) programs_ = *news.programs;
      return tree_.daemon_found(news.timed_hold);
    }
    if (news.what == PermitNews::What::idle) stall_.report_idle(waits_for(news.reason_kind));
    if (news.what == PermitNews::What::room) stall_.report_free_memory(*news.memory, now);
    if (news.what == PermitNews::What::learned) record_.learned(news.ticket, news.memory);
    if (news.what == PermitNews::What::fits) apply_fit(news.fit, now);
    if (found == runs_.end()) return;
    Run& run = found->second;
    has_new_stages_ = true;
    switch (news.what) {
      case PermitNews::What::granted:
        run.usage = HolderUsage(now, run.ran);
        run.is_granted = true;
        record_.granted(news.ticket, now);
        measure_at_ = std::min(measure_at_, run.usage.due());
        return tree_.granted(run.process);
      case PermitNews::What::waits:
        known_[run.process].waits_for = wait_sentence(news.reason_kind, news.reason);
        record_.waits(news, now);
        if (waits_for(news.reason_kind) == WaitsFor::nothing &&
            refusals_said_.insert("draining").second) {
          options_.say("the daemon is draining: waiting processes continue without a permit");
        }
        return tree_.waits(run.process, waits_for(news.reason_kind), now);
      case PermitNews::What::refused:
        if (refusals_said_.insert(news.reason_kind).second) {
          options_.say(run.name + " runs without a permit: " + news.reason);
        }
        record_.goes(news.ticket, now);
        tree_.refused(run.process);
        known_[run.process].ticket = 0;
        ungoverned_.add(run.process, {run.name, run.usage, run.kills_before});
        runs_.erase(found);
        return;
      case PermitNews::What::suspended:
        return suspend(news.ticket, run);
      case PermitNews::What::goes_on:
        return resume(news.ticket, run);
      default:  // Not of one run.
        return;
    }
  }

  void apply_fit(const FitAnswer& fit, TimePoint now) {
    const auto fitting = number_.observe_fit(fit, record_.running(), now);
    if (fitting && options_.tell_fit) options_.tell_fit(*fitting, fit.bound);
  }

  void lose(const std::string& why, TimePoint now) {
    has_daemon_ = false;
    options_.say("the daemon is gone: the build continues ungoverned (" + why + ")");
    for (auto& [ticket, run] : runs_) {
      resume(ticket, run);
      known_[run.process].ticket = 0;
      ungoverned_.add(run.process, {run.name, run.usage, run.kills_before});
    }
    runs_.clear();
    record_.lost(now);
    tree_.daemon_lost();
  }

  void suspend(Ticket ticket, Run& run) {
    run.usage.is_suspended = true;
    std::vector<pid_t> processes;
    for (const auto& [process, _] : known_) {
      // `sluice build` stops with its command, as at a terminal.
      const bool is_its = process == run.process || tree_.holder_above(process) == run.process;
      if (is_its && process != root_) processes.push_back(process);
    }
    stops_.suspend(ticket, processes);
  }

  void resume(Ticket ticket, Run& run) {
    run.usage.is_suspended = false;
    stops_.resume(ticket);
  }

  void perform(TimePoint now) {
    for (const TreeAction& action : tree_.act(now)) {
      if (action.what == TreeAction::What::ask) ask(action, now);
      if (action.what == TreeAction::What::hold) hold(action.process);
      if (action.what == TreeAction::What::go_on) stops_.go_on(action.process);
      if (action.what == TreeAction::What::release) release(action, now);
    }
    most_held_ = std::max(most_held_, stops_.waiting());
  }

  void ask(const TreeAction& action, TimePoint now) {
    Known& known = known_[action.process];
    const KeyPlace place{.directory = read_working_directory(action.process)};
    const Ticket ticket = ++last_ticket_;
    const std::string parent =
        action.parent == 0 ? options_.parent : requests_.token_of(known_[action.parent].ticket);
    Submission submission =
        run_request(known.command, place, name_ + std::to_string(ticket), parent);
    submission.queue = options_.queue;
    submission.priority = options_.priority;
    known.ticket = ticket;
    ungoverned_.remove(action.process);
    const Duration ran = now - tree_.since(action.process);
    brief_.asks(action.process, now);
    runs_.emplace(ticket, Run{action.process, name_of_run(submission.key), submission.program, ran,
                              HolderUsage(now, ran), kill_counter_.mark(action.process, now)});
    requests_.ask(ticket, submission, action.process);
  }

  void hold(pid_t process) {
    has_new_stages_ = true;
    if (stops_.hold(process)) return brief_.held(process);
    if (!is_over(process)) tree_.not_held(process);
  }

  void release(const TreeAction& action, TimePoint now) {
    Known& known = known_[action.process];
    const auto found = runs_.find(std::exchange(known.ticket, 0));
    if (found == runs_.end()) return;
    Run& run = found->second;
    resume(found->first, run);
    ProcessEnd end{.has_ended = action.has_ended, .status = known.status};
    end.kills = kill_counter_.since(run.kills_before);
    run.usage.end(now);
    const Outcome outcome = outcome_of(end, run.usage.usage());
    JobUsage usage = run.usage.usage();
    usage.oom_kills = outcome == Outcome::oom ? 1 : 0;
    BuildRun told{run.name, usage.peak_memory, usage.cpu, requests_.memory_of(found->first)};
    if (run.is_granted) {
      learn(programs_, run.program, usage.peak_memory);
      record_.ended(std::move(told), end, outcome, found->first);
    } else {
      record_.goes(found->first, now);
      record_.note_kill(told, end, outcome);
    }
    requests_.end(found->first, outcome, usage);
    runs_.erase(found);
  }

  /// What has become of the processes that stand still.
  void check_held(TimePoint now) {
    check_held_at_ = now + kCheckHeld;
    stops_.stopper().poll();
    for (const HeldProcess& each : tree_.held()) {
      using State = ProcessStopper::State;
      const State state = stops_.stopper().state_of(each.process);
      if (state == State::running && !stops_.hold_again(each.process)) hold(each.process);
      if (state == State::ending) tree_.let_go(each.process, NoPermitReason::ending);
    }
  }

  /// Reads what is due, all of it where the build may stand still.
  void measure(TimePoint now) {
    const bool checks_stall = now >= check_stall_at_;
    if (checks_stall) check_stall_at_ = now + kStallInterval;
    measure_at_ = check_stall_at_;
    std::map<pid_t, std::vector<pid_t>> groups;
    for (const pid_t holder : tree_.holders()) groups[holder].push_back(holder);
    for (const auto& [process, _] : known_) {
      const pid_t holder = tree_.holder_above(process);
      if (holder != 0 && holder != process) groups[holder].push_back(process);
    }
    std::vector<HolderUse> uses;
    for (const auto& [holder, processes] : groups) {
      const auto found = runs_.find(known_[holder].ticket);
      if (found == runs_.end()) continue;
      HolderUsage& usage = found->second.usage;
      if (checks_stall || now >= usage.due()) {
        usage.read(processes, now);
        requests_.report(found->first, usage.usage());
      }
      uses.push_back(usage.use(holder));
      measure_at_ = std::min(measure_at_, usage.due());
    }
    if (checks_stall) end_stall(uses, now);
  }

  void end_stall(const std::vector<HolderUse>& uses, TimePoint now) {
    const auto held = tree_.held();
    if (!held.empty() && number_.is_due(now)) {
      requests_.ask_how_many_fit(known_[held.front().process].ticket);
    }
    // A build that runs nothing asks whether any job runs.
    if (!held.empty() && stall_.needs_room(uses, now)) requests_.ask_for_room();
    const auto gone = stall_.observe(uses, held, programs_, now);
    if (!gone) return;
    options_.say(runs_.at(known_[gone->process].ticket).name +
                 " continues without a permit: " + gone->why);
    tree_.let_go(gone->process, NoPermitReason::stalled);
  }

  const BuildWatchOptions options_;
  ListedPrograms programs_ = options_.programs.listed;  ///< With what this build has learned.
  const std::string name_;                              ///< With which the names of its jobs begin.
  BuildRecord record_;
  ProcessFollower follower_;
  BriefPrograms brief_{follower_.has_events_of_kernel()};
  BuildTree tree_;
  const pid_t root_;
  const std::vector<std::string> own_command_ = read_command(getpid());
  StopReasons stops_;
  PermitRequests requests_;
  KillCounter kill_counter_;
  StallCheck stall_;
  std::map<pid_t, Known> known_;
  std::map<Ticket, Run> runs_;
  UngovernedRuns ungoverned_;
  std::set<std::string> refusals_said_;  ///< Kinds of them, each once.
  Ticket last_ticket_ = 0;
  NumberCheck number_{options_.asked};
  std::size_t most_held_ = 0;
  bool has_daemon_ = options_.daemon_answers;
  bool has_new_stages_ = false;  ///< There were news of a run since `let_stages_go`.
  TimePoint measure_at_, check_stall_at_, check_held_at_, settle_at_;
  Descriptor epoll_;
};

BuildWatch::BuildWatch(BuildWatchOptions options, Client daemon, pid_t root)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(daemon), root)) {}
BuildWatch::~BuildWatch() = default;
int BuildWatch::descriptor() const { return impl_->descriptor(); }
std::optional<TimePoint> BuildWatch::next() const { return impl_->next(); }
void BuildWatch::poll(TimePoint now) { impl_->poll(now); }
bool BuildWatch::awaits_answers() const { return impl_->awaits_answers(); }
BuildReport BuildWatch::report() const { return impl_->report(); }
BuildReport BuildWatch::counts() const { return impl_->counts(); }

}  // namespace sluice
