#include "cli/build/recognised_build.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "base/permit_variables.h"
#include "base/readiness.h"
#include "base/text.h"
#include "base/value_or_throw.h"
#include "cli/build/build_terms.h"
#include "process/child/signals.h"
#include "recognition/build_watch.h"
#include "service/jobserver/token_fifo.h"

namespace sluice::cli {
namespace {
/// How long a daemon may take to be told how the last runs ended.
constexpr Duration kFarewell = std::chrono::seconds(1);
constexpr Duration kFarewellStep = std::chrono::milliseconds(20);

/// While nothing waits, so that little depends on its being soon: a small compile is nine events,
/// and each wake-up takes as long as some of them.
constexpr int kGatherMilliseconds = 2;

/// Tells why the build stands still, if nothing of it runs.
class Standstill {
 public:
  Standstill(WaitTelling telling, const ToolReporter& reporter)
      : telling_(telling), reporter_(reporter) {}

  void observe(const BuildReport& report, TimePoint now) {
    const bool stands = report.held > 0 && report.running == 0;
    if (!stands) return line_.reset();
    if (!line_) line_.emplace(now);
    if (telling_ == WaitTelling::silent || !line_->is_due("held", now)) return;
    reporter_.say("waiting", "waiting: " + report.waits_for, {{"held", report.held}});
  }

 private:
  const WaitTelling telling_;
  const ToolReporter& reporter_;
  std::optional<WaitingLine> line_;
};

/// Reports, once, that a process that was held below a timer continues without a permit.
class TimedHold {
 public:
  explicit TimedHold(const ToolReporter& reporter) : reporter_(reporter) {}

  void observe(const BuildReport& report) {
    if (report.beyond_clock == 0 || std::exchange(was_told_, true)) return;
    reporter_.say("warning",
                  "a process below a timeout or a test runner was held for "
                  "build.timed_hold: it continues without a permit, and so will others");
  }

 private:
  const ToolReporter& reporter_;
  bool was_told_ = false;
};

/// Has the daemon hear how the last runs ended.
void finish(BuildWatch& watch) {
  const TimePoint until = Clock::now() + kFarewell;
  watch.poll(Clock::now());
  while (watch.awaits_answers() && watch.counts().has_daemon && Clock::now() < until) {
    is_readable(watch.descriptor(), kFarewellStep);
    watch.poll(Clock::now());
  }
}

BuildWatchOptions options_for(const RecognisedBuild& build, const Client& daemon,
                              const ToolReporter& reporter) {
  BuildWatchOptions options;
  options.daemon_answers = build.daemon_answers;
  if (build.daemon_answers) options.programs = ask_for_programs(daemon);
  options.queue = build.queue;
  options.priority = build.priority;
  options.parent = environment_text(kPermitVariable);
  if (build.asked) {
    options.asked = build.asked->jobs;
    options.heaviest = std::max(options.heaviest, build.asked->jobs);
    options.tell_fit = [&](const FittingJobs& fitting, const std::string& bound) {
      reporter.say("number", too_many_sentence(*build.asked, fitting, bound),
                   {{"asked", build.asked->jobs},
                    {"fits", fitting.jobs},
                    {"bound", bound},
                    {"known", fitting.by == FittingJobs::By::runs}});
    };
  }
  options.say = [&reporter](const std::string& line) { reporter.say("warning", line); };
  return options;
}

}  // namespace

BuildEnd run_recognised(const RecognisedBuild& build, Client client, const ToolReporter& reporter) {
  const SignalDescriptor signals(kCommandSignals);
  jobserver::sweep_token_fifos();
  const jobserver::TokenFifo tokens = value_or_throw(jobserver::TokenFifo::make());
  // One job of the tool runs without a token.
  const std::size_t first = build.daemon_answers ? build.most_jobs : build.most_ungoverned;
  tokens.put(first - 1);
  std::size_t once_governed = build.most_jobs - first;
  const jobserver::ClientSetting told =
      value_or_throw(jobserver::ClientSetting::make(tokens.path(), build.styles));
  BuildWatchOptions options = options_for(build, client, reporter);
  std::optional<BuildWatch> watched;
  const auto watch_from_here = [&](pid_t command) {
    watched.emplace(std::move(options), std::move(client), command);
    watched->poll(Clock::now());
  };
  std::map<std::string, std::string> environment = told.environment(environment_text("MAKEFLAGS"));
  const BuildMeter meter;
  const auto started = BuildProcess::start(build.command, environment, told.kept(), signals,
                                           watch_from_here, reporter);
  if (const auto* end = std::get_if<BuildEnd>(&started)) return *end;
  const auto& process = std::get<BuildProcess>(started);
  BuildWatch& watch = *watched;
  Standstill standstill(build.telling, reporter);
  TimedHold timed_hold(reporter);
  std::size_t held = 0;
  const auto attend = [&](TimePoint now) {
    watch.poll(now);
    const BuildReport report = watch.counts();
    held = report.held;
    if (report.has_daemon && once_governed > 0) tokens.put(std::exchange(once_governed, 0));
    standstill.observe(report, now);
    timed_hold.observe(report);
  };
  const auto companions = [&] {
    const int gathers = held == 0 ? kGatherMilliseconds : 0;
    return std::vector<Companion>{{watch.descriptor(), watch.next(), attend, gathers}};
  };
  const BuildEnd end = process.wait(signals, companions);
  const BuildTerms terms = meter.terms();
  finish(watch);
  tell_end(watch.report(), build.asked, terms, build.telling, reporter);
  return end;
}

}  // namespace sluice::cli
