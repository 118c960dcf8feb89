#include "cli/demo_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "cli/demo_inbox.h"
#include "cli/demo_summary.h"
#include "cli/host_view.h"
#include "cli/terminal.h"
#include "service/runner.h"
#include "service/signals.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr Duration kRedraw = std::chrono::milliseconds(200);
constexpr Duration kMeasure = std::chrono::milliseconds(250);
constexpr Duration kGrace = std::chrono::seconds(2);  ///< Between SIGTERM and SIGKILL.
constexpr std::size_t kMostRows = 8;

class Demo {
 public:
  Demo(const std::vector<WorkItem>& items, const Options& options, std::string scratch,
       Output output)
      : items_(items),
        scratch_(std::move(scratch)),
        output_(output),
        style_(style_of(STDOUT_FILENO)),
        summary_(Clock::now()) {
    GovernorEvents events;
    events.on_window = [this](const WindowChange& change) { inbox_.changed(change); };
    governor_ = govern_this_host(options, std::move(events));
  }

  int run() {
    submit_all();
    while (!is_over()) {
      wait_for_news();
      handle_signals();
      handle_mail();
      measure();
      show();
    }
    finish();
    if (stopped_by_ != 0) return 128 + stopped_by_;
    return summary_.failed() == 0 ? 0 : 1;
  }

 private:
  struct RunningItem {
    std::size_t item;
    Permit permit;
    TimePoint began;
  };

  bool is_over() const {
    return stopped_by_ != 0 ? running_.empty() : summary_.finished() == items_.size();
  }

  void submit_all() {
    for (std::size_t item = 0; item < items_.size(); ++item) {
      JobRequest request;
      request.key = items_[item].name;
      request.measured = true;
      const auto result = governor_->submit(std::move(request), [this, item](JobId, Admission end) {
        inbox_.admitted(item, std::move(end));
      });
      if (const auto* refusal = std::get_if<Refusal>(&result)) {
        record_end(item, false, 0, to_sentence(*refusal));
      }
    }
  }

  void wait_for_news() {
    // Whether the reader of a pipe has gone is told without being asked for.
    pollfd descriptors[] = {{signals_.descriptor(), POLLIN, 0},
                            {inbox_.descriptor(), POLLIN, 0},
                            {STDOUT_FILENO, 0, 0}};
    poll(descriptors, 3,
         static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(kRedraw).count()));
    const bool unread = (descriptors[2].revents & POLLERR) != 0 || !std::cout;
    if (unread && stopped_by_ == 0) stop(SIGPIPE);
  }

  void handle_signals() {
    while (const auto signal = signals_.next()) {
      if (signal->number != SIGCHLD) stop(signal->number);
    }
    for (const RunEnd& end : runner_.reap()) handle_end(end);
    if (stopped_by_ != 0 && Clock::now() - stopped_at_ >= kGrace) end_all();
  }

  void measure() {
    const TimePoint now = Clock::now();
    if (now - measured_ < kMeasure) return;
    measured_ = now;
    for (auto& [job, running] : running_) running.permit.measured(runner_.measure(job));
  }

  /// The first signal asks the jobs to end, a second one no longer asks.
  void stop(int signal) {
    if (stopped_by_ != 0) {
      end_all();
      return;
    }
    stopped_by_ = signal;
    stopped_at_ = Clock::now();
    governor_->drain();
    for (const auto& [job, running] : running_) runner_.signal(job, SIGTERM);
  }

  void end_all() {
    for (const auto& [job, running] : running_) runner_.end(job);
  }

  void handle_mail() {
    Inbox::Mail mail = inbox_.take();
    for (const WindowChange& change : mail.changes) {
      summary_.note(change);
      tell_change(change);
    }
    for (auto& [item, permit] : mail.admitted) {
      if (stopped_by_ == 0) start(item, std::move(permit));
    }
  }

  void start(std::size_t item, Permit permit) {
    Command command;
    command.argv = items_[item].argv;
    command.directory = items_[item].directory;
    const int log = open(log_of(item).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    command.output = command.error = log;
    const auto started = runner_.start(command);
    if (log >= 0) close(log);
    if (const auto* problem = std::get_if<std::string>(&started)) {
      permit.release(Outcome::failed);
      record_end(item, false, 0, *problem);
      return;
    }
    running_.emplace(std::get<pid_t>(started), RunningItem{item, std::move(permit), Clock::now()});
  }

  static Outcome outcome_of(const RunEnd& end) {
    if (end.oom_killed) return Outcome::oom;
    return end.ok() ? Outcome::ok : Outcome::failed;
  }

  void handle_end(const RunEnd& end) {
    const auto found = running_.find(end.job);
    if (found == running_.end()) return;
    RunningItem& running = found->second;
    running.permit.measured(end.usage);
    running.permit.release(outcome_of(end));
    const double seconds = std::chrono::duration<double>(end.usage.wall).count();
    if (stopped_by_ != 0 && !end.ok()) {
      summary_.note_stopped();
    } else {
      record_end(running.item, end.ok(), seconds, end.sentence());
    }
    running_.erase(found);
  }

  void record_end(std::size_t item, bool ok, double seconds, const std::string& how) {
    summary_.note_finished(ok, seconds);
    const std::string last = ok ? "" : last_line_of(log_of(item));
    std::filesystem::remove(log_of(item));
    if (!ok) {
      summary_.note_failure(items_[item].name + ": " + how + (last.empty() ? "" : ": " + last));
    }
    tell_end(item, ok, seconds, how);
  }

  std::string log_of(std::size_t item) const {
    return scratch_ + "/" + std::to_string(item + 1) + ".log";
  }

  /// The last line that says something, out of the last kilobytes: a log may be huge.
  static std::string last_line_of(const std::string& path) {
    constexpr std::streamoff kTail = 4096;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    file.seekg(std::max<std::streamoff>(0, size - kTail));
    std::string line;
    std::string last;
    while (std::getline(file, line)) {
      if (!line.empty()) last = line;
    }
    return cut(harmless(last), 200);
  }

  void tell_end(std::size_t item, bool ok, double seconds, const std::string& how) {
    if (output_ == Output::lines) {
      std::cout << padded(duration_text(summary_.elapsed(Clock::now())), 10) << " "
                << padded(std::to_string(summary_.finished()) + "/" + std::to_string(items_.size()),
                          9)
                << " " << (ok ? "ok     " : "FAILED ") << padded(duration_text(seconds), 9) << " "
                << items_[item].name << (ok ? "" : ": " + how) << std::endl;
    } else if (output_ == Output::json) {
      std::cout << json::object{{"event", "finished"},      {"t", summary_.elapsed(Clock::now())},
                                {"job", items_[item].name}, {"outcome", ok ? "ok" : "failed"},
                                {"seconds", seconds},       {"how", how}}
                << std::endl;
    }
  }

  void tell_change(const WindowChange& change) {
    if (output_ == Output::lines) {
      std::cout << padded(duration_text(summary_.elapsed(change.at)), 10) << " window    "
                << change.from.value << " to " << change.to.value << " points, "
                << to_string(change.cause)
                << (change.sensor.empty() ? "" : " (" + change.sensor + ")") << std::endl;
    } else if (output_ == Output::json) {
      std::cout << json::object{{"event", "window"},
                                {"t", summary_.elapsed(change.at)},
                                {"from", change.from.value},
                                {"size", change.to.value},
                                {"cause", to_string(change.cause)},
                                {"sensor", change.sensor}}
                << std::endl;
    }
  }

  void show() {
    const TimePoint now = Clock::now();
    if (now - shown_ < kRedraw / 2 && !is_over()) return;
    shown_ = now;
    const Status status = governor_->status();
    summary_.observe(status);
    if (output_ == Output::live) draw(status, now);
  }

  std::string progress_line(TimePoint now) const {
    const double part =
        static_cast<double>(summary_.finished()) / static_cast<double>(items_.size());
    const double eta = summary_.eta(now, items_.size());
    std::string line = "jobs     " + bar(part, 16) + " " + std::to_string(summary_.finished()) +
                       " of " + std::to_string(items_.size()) + " done";
    if (summary_.failed() > 0) {
      line += ", " + painted(style_, Colour::red, std::to_string(summary_.failed()) + " failed");
    }
    line += ", " + duration_text(summary_.elapsed(now)) + " gone";
    if (eta >= 0 && stopped_by_ == 0) line += ", about " + duration_text(eta) + " to go";
    if (stopped_by_ != 0) line += ", " + painted(style_, Colour::yellow, "ending the jobs");
    return cut(line, style_.width);
  }

  HostView view_now(const Status& status, TimePoint now) const {
    HostView view = view_of(status);
    for (const auto& [pid, running] : running_) {
      view.running.push_back({std::to_string(running.permit.id().value), items_[running.item].name,
                              running.permit.cost().value,
                              std::chrono::duration<double>(now - running.began).count(), ""});
    }
    for (const JobView& job : governor_->jobs()) {
      if (job.state != JobState::pending) continue;
      view.pending.push_back({std::to_string(job.id.value), job.request.key, job.cost.value,
                              std::chrono::duration<double>(now - job.arrived).count(),
                              job.refusal ? to_sentence(*job.refusal) : ""});
    }
    return view;
  }

  void draw(const Status& status, TimePoint now) {
    const std::size_t width = std::exchange(style_, style_of(STDOUT_FILENO)).width;
    // Lines that were wrapped by a narrower terminal cannot be drawn over.
    const bool resized = drawn_ > 0 && width != style_.width;
    std::vector<std::string> lines{progress_line(now)};
    for (std::string& line : lines_of(view_now(status, now), style_, kMostRows)) {
      lines.push_back(std::move(line));
    }
    if (style_.height > 1 && lines.size() >= style_.height) lines.resize(style_.height - 1);
    std::string screen = drawn_ > 0 ? "\x1b[" + std::to_string(drawn_) + "A" : "";
    if (resized) screen = "\x1b[2J\x1b[H";
    for (const std::string& line : lines) screen += line + "\x1b[K\n";
    screen += "\x1b[J";
    drawn_ = lines.size();
    std::cout << screen << std::flush;
  }

  void finish() {
    const TimePoint now = Clock::now();
    if (output_ == Output::json) {
      std::cout << summary_.json(items_.size(), now) << std::endl;
    } else {
      std::cout << (stopped_by_ != 0 ? "\nstopped\n" : "\n") << summary_.text(items_.size(), now);
    }
  }

  const std::vector<WorkItem>& items_;
  const std::string scratch_;
  const Output output_;
  Style style_;
  SignalDescriptor signals_{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD};
  Inbox inbox_;
  DemoSummary summary_;
  Runner runner_;
  std::map<pid_t, RunningItem> running_;
  int stopped_by_ = 0;
  TimePoint stopped_at_;
  TimePoint shown_;
  TimePoint measured_;
  std::size_t drawn_ = 0;
  std::unique_ptr<Governor> governor_;  ///< Last: its threads use what is above.
};

}  // namespace

int run_demo(const std::vector<WorkItem>& items, const Options& options, const std::string& scratch,
             Output output) {
  return Demo(items, options, scratch, output).run();
}

}  // namespace sluice::cli
