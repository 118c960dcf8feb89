#include "cli/batch/processes.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/item_variables.h"
#include "base/seconds.h"
#include "base/shell_command.h"
#include "governor/memory/later_memory.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"

namespace sluice::cli {
namespace {

MemoryMeter meter_of_this_host() {
  const HostPaths paths;
  return memory_meter(paths, read_host_facts(paths));
}

}  // namespace

bool is_expected_to_be_short(const Prediction& expected) {
  return expected.rung == Rung::key && expected.duration && *expected.duration < kShortRun;
}

Outcome BatchProcesses::Ended::outcome() const {
  if (end.oom_killed || because == Because::brake) return Outcome::oom;
  if (because == Because::asked) return Outcome::cancelled;
  return end.ok() && because == Because::itself ? Outcome::ok : Outcome::failed;
}

BatchProcesses::BatchProcesses(const BatchSettings& settings, Runner& runner,
                               std::shared_ptr<History> history, AdmissionBackend& backend)
    : settings_(settings),
      most_descriptors_(descriptor_limit()),
      history_(std::move(history)),
      backend_(backend),
      meter_(meter_of_this_host()),
      runner_(runner) {
  raise_descriptor_limit();
}

Command BatchProcesses::command_of(const BatchJob& job, const AdmissionBackend::Admitted& admitted,
                                   const JobStreams& streams) const {
  Command command;
  command.directory = job.directory;
  // Programs that use select() rely on a low limit.
  command.most_descriptors = most_descriptors_;
  command.environment = admitted.terms.environment;
  command.environment["SLUICE_SEQ"] = std::to_string(job.seq);
  command.nice = job.request.nice ? job.request.nice
                                  : (admitted.terms.nice ? admitted.terms.nice : settings_.nice);
  const bool grouped = streams.output != nullptr;
  command.output = grouped ? streams.output->open_writer() : STDOUT_FILENO;
  command.error = grouped ? streams.error->open_writer() : STDERR_FILENO;
  return command;
}

std::optional<BatchProcesses::NotStarted> BatchProcesses::start(
    const TrackedJob& tracked, const AdmissionBackend::Admitted& admitted, TimePoint now) {
  const BatchJob& job = tracked.job;
  JobStreams streams;
  try {
    if (settings_.passing != BatchSettings::Passing::ungrouped) streams = JobStreams::make(files_);
  } catch (const TooManyOpenFiles& problem) {
    return NotStarted{problem.what(), problem.error()};
  }
  Command command = command_of(job, admitted, streams);
  command.warn = [this](const std::string& warning) { warnings_.push_back(warning); };
  if (auto line = about_ignored(admitted.terms.ignored); !line.empty()) {
    warnings_.push_back(std::move(line));
  }
  const Prediction expected = history_->predict(job.request);
  if (is_expected_to_be_short(expected)) command.group = Command::Group::unneeded;
  const auto limits = enforced_limits(settings_.reservation, expected);
  command.memory_high = admitted.terms.memory_high ? admitted.terms.memory_high : limits.high;
  command.memory_max = admitted.terms.memory_max ? admitted.terms.memory_max : limits.max;
  command.argv = job.argv.empty() ? argv_of_line(job.line) : job.argv;
  auto started = runner_.start(command);
  const bool may_need_shell = job.argv.empty() && command.argv.front() != "sh";
  if (std::holds_alternative<std::string>(started) && may_need_shell &&
      !is_lack_of_descriptors(runner_.start_error())) {
    // The shell's error message is familiar, and it runs scripts without an interpreter line.
    command.argv = {"sh", "-c", job.line};
    started = runner_.start(command);
  }
  if (auto* problem = std::get_if<std::string>(&started)) {
    return NotStarted{std::move(*problem), runner_.start_error()};
  }
  streams.close_writers();
  const pid_t leader = std::get<pid_t>(started);
  enter(leader, tracked, admitted, now).streams = std::move(streams);
  backend_.started(job.seq, leader);
  return std::nullopt;
}

BatchProcesses::Running& BatchProcesses::enter(pid_t leader, const TrackedJob& tracked,
                                               const AdmissionBackend::Admitted& admitted,
                                               TimePoint now) {
  Running& running = running_[leader];
  running.seq = tracked.job.seq;
  running.run = ++last_run_;
  running.request = tracked.job.request;
  running.cost = admitted.cost;
  running.waited = to_seconds(now - tracked.ready);
  running.started = unix_now();
  running.began = now;
  running.next_measure = running.pace.first(now);
  running.deadline = JobDeadline(settings_.timeout, now);
  running.expected = history_->predict(running.request).memory.value_or(MemoryNeed{});
  const bool retryable = tracked.requeued < settings_.brake_retries;
  brake_.started(leader, retryable ? MemoryBrake::Retry::allowed : MemoryBrake::Retry::never);
  return running;
}

void BatchProcesses::measure(pid_t leader, Running& running, TimePoint now) {
  running.usage = runner_.measure(leader);
  running.next_measure = running.pace.next(running.usage, now);
  running.recorded.see(running.usage);
  history_->running(running.run, running.request, running.usage);
  backend_.measured(running.seq, running.usage);
  if (!running.use) running.use = MemoryUse::first(running.usage, now);
  running.use->see(running.usage, now);
  const Prediction expected = history_->predict(running.request);
  running.expected = need_while_running(expected, running.use, now);
  brake_.update_usage(leader, running.usage,
                      expected_from_now(settings_.reservation.z, expected, running.use, now), now);
}

std::vector<BrakeAction> BatchProcesses::poll(TimePoint now) {
  Bytes together;
  for (auto& [leader, running] : running_) {
    if (now >= running.next_measure) measure(leader, running, now);
    running.deadline.enforce(runner_, leader, now);
    together.value += running.usage.memory.value;
  }
  peak_together_ = std::max(peak_together_, together);
  if (running_.empty() || settings_.reservation.brake == ReservationOptions::Brake::off) return {};
  auto actions = brake_.poll(meter_(now), runner_);
  for (const BrakeAction& action : actions) {
    if (action.what != BrakeAction::What::ended) continue;
    running_.at(static_cast<pid_t>(action.job)).deadline.note_reason(Because::brake);
  }
  return actions;
}

std::vector<BatchProcesses::Ended> BatchProcesses::reap() {
  std::vector<Ended> all;
  for (RunEnd& end : runner_.reap()) {
    auto found = running_.extract(end.job);
    if (!found) continue;
    Running& running = found.mapped();
    brake_.ended(end.job);
    Ended ended{.seq = running.seq,
                .end = std::move(end),
                .because = running.deadline.because(),
                .streams = std::move(running.streams),
                .cost = running.cost,
                .waited = running.waited,
                .started = running.started};
    const Bytes kept{static_cast<std::uint64_t>(std::max(0.0, running.expected.mean))};
    history_->ended(running.run);
    history_->learn(sample_of(running.request, ended.end.usage, SeenBy::governor, ended.outcome(),
                              kept, static_cast<std::int64_t>(unix_now()), &running.recorded));
    peak_together_ = std::max(peak_together_, ended.end.usage.peak_memory);
    all.push_back(std::move(ended));
  }
  return all;
}

void BatchProcesses::ask_to_end() {
  const TimePoint now = Clock::now();
  for (auto& [leader, running] : running_) {
    running.deadline.ask(runner_, leader, Because::asked, now);
  }
}

void BatchProcesses::kill() {
  for (auto& [leader, running] : running_) {
    running.deadline.note_reason(Because::asked);
    runner_.end(leader);
  }
}

std::vector<BatchProcesses::Row> BatchProcesses::rows() const {
  std::vector<Row> rows;
  for (const auto& [leader, running] : running_) {
    rows.push_back(
        {running.seq, running.cost, running.began, running.usage, runner_.is_suspended(leader)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.began < b.began; });
  return rows;
}

std::optional<std::size_t> BatchProcesses::job_of(pid_t leader) const {
  const auto found = running_.find(leader);
  return found == running_.end() ? std::nullopt : std::optional(found->second.seq);
}

}  // namespace sluice::cli
