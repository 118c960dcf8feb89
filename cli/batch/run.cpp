#include "cli/batch/run.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "base/descriptors.h"
#include "cli/batch/descriptor_budget.h"
#include "cli/batch/embedded.h"
#include "cli/batch/ended.h"
#include "cli/batch/intake.h"
#include "cli/batch/processes.h"
#include "cli/batch/reporter.h"
#include "cli/batch/table.h"

namespace sluice::cli {
namespace {
using Because = BatchProcesses::Because;

/// Similar jobs are submitted to the governor a few at a time, so that the order of the rest can
/// still follow what is learned: more than the governor ever looks past (`backfill`).
constexpr std::size_t kAhead = 32;

/// Pieces of ended jobs' output that wait for their reader; above this no job starts. Each piece is
/// a file, of which the usual limit allows 1,024.
constexpr std::size_t kMostBacklog = 200;

constexpr Duration kPatience = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kTick(100);
constexpr Duration kRefresh = std::chrono::seconds(5);
constexpr Duration kStartAgain = std::chrono::seconds(1);  ///< After a lack of descriptors.

class BatchRun {
 public:
  BatchRun(const BatchSettings& settings, const SignalDescriptor& signals, Runner& runner,
           BatchWork work, AdmissionBackend& backend, const std::shared_ptr<History>& history)
      : settings_(settings),
        signals_(signals),
        work_(std::move(work)),
        backend_(backend),
        output_(settings.output, settings.lines),
        processes_(settings_, runner, history, backend),
        budget_(descriptor_limit(), open_descriptors(), descriptors_of_job(settings)),
        table_(
            settings.order,
            [history](const JobRequest& job) { return history->predict(job).duration; },
            [this](const BatchJob& job) { return work_.resume.ended_ok(job); }),
        began_(Clock::now()),
        reporter_(settings, output_, began_),
        intake_(work_, settings, backend, table_, reporter_, output_) {}

  int run() {
    reporter_.observe(backend_);
    if (!intake_.take_known()) return 2;
    while (!is_over()) {
      take_lines();
      submit();
      wait();
      handle_signals();
      keep_span();
      handle_ends();
      handle_news();
      poll_processes();
    }
    return finish();
  }

 private:
  enum class Stopping { no, soon, now };

  /// From a stream, as many as have arrived and there is space for.
  void take_lines() {
    while (stopping_ == Stopping::no && has_room() && intake_.take_line()) continue;
    heed_halt();
  }

  bool has_room() const { return table_.waiting() + submitted_ < kMostWaiting; }

  bool is_over() {
    if (stopping_ != Stopping::no) return processes_.size() == 0;
    if (!work_.source.is_over() || submitted_ > 0 || processes_.size() > 0) return false;
    if (table_.has_next()) return false;
    drop(table_.give_up());
    return true;
  }

  void submit() {
    if (stopping_ != Stopping::no || output_.backlog() > kMostBacklog) return;
    if (Clock::now() < start_again_) return;
    const std::size_t most = most_submitted();
    while (submitted_ < most) {
      const TrackedJob* next = table_.next();
      if (!next) return;
      ++submitted_;
      backend_.submit(next->job.seq, next->job.request);
    }
  }

  std::size_t most_submitted() {
    const std::size_t most = intake_.has_specials() ? backend_.most_waiting()
                                                    : std::min(kAhead, backend_.most_waiting());
    const std::size_t jobs = budget_.most_jobs(processes_.spare_files() + output_.most_files());
    const std::size_t more = jobs - std::min(jobs, processes_.size());
    const bool is_short = more == 0 && submitted_ == 0 && table_.has_next();
    if (is_short) reporter_.problem_once(budget_.sentence());
    return std::min(most, more);
  }

  void wait() {
    const bool has_reader = stopped_by_ != SIGPIPE && !unwritable_;
    std::vector<pollfd> polled{{signals_.descriptor(), POLLIN, 0},
                               {has_reader ? STDOUT_FILENO : -1, 0, 0}};
    for (const int descriptor : backend_.descriptors()) polled.push_back({descriptor, POLLIN, 0});
    const bool reads = work_.source.is_stream() && has_room() && stopping_ == Stopping::no;
    const std::size_t source = polled.size();
    if (reads) polled.push_back({work_.source.descriptor(), POLLIN, 0});
    if (has_reader && output_.blocked_on() >= 0)
      polled.push_back({output_.blocked_on(), POLLOUT, 0});
    poll(polled.data(), polled.size(), static_cast<int>(kTick.count()));
    if (reads && polled[source].revents != 0) work_.source.read();
    if ((polled[1].revents & POLLERR) != 0) stop_by(SIGPIPE);
  }

  void handle_signals() {
    while (const auto signal = signals_.next()) {
      if (signal->number == SIGCHLD) continue;
      if (stopped_by_ != 0) processes_.kill();
      stop_by(signal->number);
    }
  }

  /// The first signal asks the jobs to end; a second one kills them.
  void stop_by(int signal) {
    if (stopped_by_ != 0) return;
    stopped_by_ = signal;
    stop(Stopping::now);
  }

  void keep_span() {
    if (!settings_.span) return;
    const Duration gone = Clock::now() - began_;
    if (gone >= settings_.span->no_start && stopping_ == Stopping::no && has_unstarted()) {
      reporter_.out_of_time();
      stop(Stopping::soon);
    }
    if (gone >= settings_.span->end_running && stopping_ != Stopping::now) {
      reporter_.out_of_time();
      stop(Stopping::now);
    }
  }

  bool has_unstarted() const { return submitted_ > 0 || table_.waiting() > 0; }

  void stop(Stopping how) {
    if (stopping_ == Stopping::no) backend_.withdraw();
    if (how == Stopping::now && stopping_ != Stopping::now) processes_.ask_to_end();
    stopping_ = std::max(stopping_, how);
  }

  void handle_news() {
    AdmissionBackend::Events events = backend_.poll_events();
    for (const WindowChange& change : events.changes) reporter_.changed(change);
    if (!events.lost.empty()) lose(events.lost);
    for (const auto& refused : events.refused) {
      --submitted_;
      refuse(refused.seq, refused.why);
    }
    for (const auto& admitted : events.admitted) {
      --submitted_;
      start(admitted);
    }
    if (!events.admitted.empty()) reporter_.observe(backend_);
    submitted_ -= events.unasked.size();
    for (const auto& unasked : events.unasked) {
      if (!may_start_later(unasked.error)) return lose(unasked.why);
      postpone(unasked.seq, unasked.why);
    }
  }

  void lose(const std::string& why) {
    lost_ = true;
    reporter_.problem(why);
    stop(Stopping::soon);
  }

  void start(const AdmissionBackend::Admitted& admitted) {
    if (stopping_ != Stopping::no) {
      return backend_.ended(admitted.seq, Outcome::cancelled, std::nullopt);
    }
    const TrackedJob& tracked = table_.at(admitted.seq);
    const auto problem = processes_.start(tracked, admitted, Clock::now());
    for (const std::string& warning : processes_.take_warnings()) {
      reporter_.problem(tracked.job.place + ": " + warning);
    }
    if (problem && may_start_later(problem->error)) return postpone(admitted.seq, problem->why);
    if (problem) {
      reporter_.explain_if_quiet(tracked.job, problem->why);
      backend_.ended(admitted.seq, Outcome::failed, std::nullopt);
      conclude(line_of_unstarted(tracked.job, admitted.cost, unix_now()), problem->why, {});
      return;
    }
    reporter_.started(tracked.job, tracked.attempts + 1, admitted.cost);
  }

  /// While nothing runs, no descriptor of this process will become free.
  bool may_start_later(int error) const {
    const bool holds_some = processes_.size() > 0 || submitted_ > 0 || !output_.idle();
    return error == ENFILE || (error == EMFILE && holds_some);
  }

  void postpone(std::size_t seq, const std::string& why) {
    reporter_.problem_once(why + "; jobs that cannot start are started later");
    backend_.ended(seq, Outcome::cancelled, std::nullopt);
    table_.enqueue(seq, table_.at(seq).ready);
    start_again_ = Clock::now() + kStartAgain;
  }

  void refuse(std::size_t seq, const std::string& why) {
    const TimePoint now = Clock::now();
    const TrackedJob& tracked = table_.at(seq);
    reporter_.explain_if_quiet(tracked.job, "not run: " + why);
    log(line_of_refused(tracked, now - tracked.ready, unix_now()));
    reporter_.refused(tracked.job, "not run: " + why);
    output_.skip(seq);
    drop(table_.done(seq, false, now));
    heed_halt();
  }

  void log(const JoblogLine& line) {
    const std::string problem = work_.joblog ? work_.joblog->add(line) : "";
    if (!problem.empty() && !std::exchange(joblog_failed_, true)) reporter_.problem(problem);
  }

  /// Submits the jobs that depend on an ended one before its points can go to others.
  void handle_ends() {
    std::vector<BatchProcesses::Ended> over;
    for (BatchProcesses::Ended& ended : processes_.reap()) {
      if (!is_run_again(ended)) over.push_back(std::move(ended));
    }
    for (BatchProcesses::Ended& ended : over) handle_end(ended);
    if (!over.empty()) start_again_ = {};
    if (!over.empty()) submit();
    if (!over.empty() && processes_.suspends_any()) poll_jobs(Clock::now());
    for (const auto& ended : over) backend_.ended(ended.seq, ended.outcome(), ended.end.usage);
  }

  bool is_run_again(const BatchProcesses::Ended& ended) {
    if (ended.because == Because::asked) return false;
    TrackedJob& tracked = table_.at(ended.seq);
    const bool braked = ended.because == Because::brake;
    ++(braked ? tracked.requeued : tracked.attempts);
    const bool retried =
        braked || (ended.outcome() != Outcome::ok && tracked.attempts <= settings_.retries);
    if (!retried || stopping_ != Stopping::no) return false;
    learned_ = true;
    backend_.ended(ended.seq, ended.outcome(), ended.end.usage);
    reporter_.retried(tracked.job, tracked.attempts, how_of(ended, settings_.timeout));
    table_.enqueue(ended.seq, Clock::now());
    return true;
  }

  void handle_end(BatchProcesses::Ended& ended) {
    TrackedJob& tracked = table_.at(ended.seq);
    learned_ = true;
    if (ended.because == Because::asked) {
      reporter_.left(tracked.job, BatchReporter::Left::stopped, "ended with the batch");
      output_.skip(ended.seq);
      return;
    }
    conclude(line_of(tracked, ended), how_of(ended, settings_.timeout), ended.streams);
  }

  /// A job is done.
  void conclude(JoblogLine line, const std::string& how, const JobStreams& streams) {
    const bool ok = line.outcome == "ok";
    const bool json = settings_.telling == BatchSettings::Telling::json;
    const std::size_t seq = line.seq;
    const bool speaks = settings_.passing == BatchSettings::Passing::grouped && !json;
    if (speaks && streams.output) output_.add(seq, streams, table_.at(seq).job.tag);
    if (!speaks || !streams.output) output_.skip(seq);
    log(line);
    reporter_.finished(line, how, !ok && streams.output ? streams.last_words() : "", streams);
    drop(table_.done(seq, ok, Clock::now()));
    heed_halt();
  }

  void heed_halt() {
    if (!halts(settings_.halt, table_.counts())) return;
    halted_ = true;
    stop(settings_.halt.when == BatchHalt::When::now ? Stopping::now : Stopping::soon);
  }

  void drop(const BatchTable::Dropped& dropped) { tell_dropped(dropped, reporter_, output_); }

  void poll_jobs(TimePoint now) {
    for (const BrakeAction& action : processes_.poll(now)) {
      if (const auto seq = processes_.job_of(static_cast<pid_t>(action.job))) {
        reporter_.braked(table_.at(*seq).job, action);
      }
    }
  }

  void poll_processes() {
    const TimePoint now = Clock::now();
    if (now - polled_ >= kTick) {
      polled_ = now;
      poll_jobs(now);
    }
    if (learned_ && table_.has_next() && now - refreshed_ >= kRefresh) {
      refreshed_ = now;
      learned_ = false;
      table_.refresh();
    }
    if (stopped_by_ != SIGPIPE && !unwritable_ && !reporter_.pass_output()) lose_output();
    reporter_.show(backend_, processes_, table_, now);
  }

  void lose_output() {
    if (output_.error() == EPIPE) return stop_by(SIGPIPE);
    unwritable_ = true;
    reporter_.problem("cannot write to standard output: " + std::string(strerror(output_.error())) +
                      "; ending the jobs");
    stop(Stopping::now);
  }

  /// Waits for the readers, but returns at a signal, and soon after one.
  void wait_for_readers() {
    const TimePoint end = stopped_by_ == 0 ? TimePoint::max() : Clock::now() + kPatience;
    while (Clock::now() < end) {
      // With a live view the first part of the jobs' output may wait there.
      reporter_.people().pump();
      if (stopped_by_ != SIGPIPE && !unwritable_ && !output_.pump()) lose_output();
      const bool has_reader = stopped_by_ != SIGPIPE && !unwritable_;
      const int output = has_reader ? output_.blocked_on() : -1;
      const int people = reporter_.people().idle() ? -1 : reporter_.people().descriptor();
      if (output < 0 && people < 0) return;
      pollfd polled[] = {
          {signals_.descriptor(), POLLIN, 0}, {output, POLLOUT, 0}, {people, POLLOUT, 0}};
      poll(polled, 3, stopped_by_ == 0 ? -1 : 100);
      while (const auto signal = signals_.next()) {
        if (signal->number == SIGCHLD) continue;
        if (stopped_by_ == 0) stopped_by_ = signal->number;
        return;
      }
    }
  }

  int finish() {
    const auto& cut_off = work_.source.problem();
    if (cut_off) reporter_.problem(*cut_off + "; everything before it ran");
    output_.close();
    reporter_.hide();
    reporter_.sum_up(processes_, table_.counts().known, Clock::now());
    wait_for_readers();
    // A late signal must not end this process before it has cleaned up.
    while (signals_.next()) continue;
    if (unwritable_) return 2;
    if (stopped_by_ != 0) return 128 + stopped_by_;
    if (halted_ && settings_.halt.why == BatchHalt::Why::success) return 0;
    // A job missing from the joblog would be run again by --resume: that is not a success either.
    const std::size_t least = lost_ || joblog_failed_ || cut_off ? 1 : 0;
    const std::size_t failed = std::max(table_.counts().failed, least);
    return static_cast<int>(std::min<std::size_t>(failed, 101));
  }

  const BatchSettings& settings_;
  const SignalDescriptor& signals_;
  BatchWork work_;
  AdmissionBackend& backend_;
  BatchOutput output_;
  BatchProcesses processes_;
  DescriptorBudget budget_;  ///< Of the limit that `processes_` raised.
  BatchTable table_;
  TimePoint began_;
  BatchReporter reporter_;
  BatchIntake intake_;
  std::size_t submitted_ = 0;  ///< Jobs that wait for admission.
  Stopping stopping_ = Stopping::no;
  int stopped_by_ = 0;
  bool halted_ = false, learned_ = false, joblog_failed_ = false;
  bool lost_ = false;                           ///< No more jobs are admitted.
  bool unwritable_ = false;                     ///< Standard output failed, as on a full disk.
  TimePoint polled_, refreshed_, start_again_;  ///< No job is submitted before the last.
};

}  // namespace

int run_batch(const BatchSettings& settings, const SignalDescriptor& signals, Runner& runner,
              BatchWork work, AdmissionBackend& backend, const std::shared_ptr<History>& history) {
  return BatchRun(settings, signals, runner, std::move(work), backend, history).run();
}

}  // namespace sluice::cli
