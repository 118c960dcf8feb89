#include "process/command_jobs.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "governor/memory/reservation.h"

namespace sluice {
namespace {

constexpr Duration kPollInterval = std::chrono::milliseconds(100);

MemoryNeed need_of(const Prediction& expected) { return expected.memory.value_or(MemoryNeed{}); }

}  // namespace

Outcome CommandJobs::Ended::outcome() const {
  if (end.oom_killed) return Outcome::oom;
  if (because == JobDeadline::Because::asked) return Outcome::cancelled;
  return ok() ? Outcome::ok : Outcome::failed;
}

CommandJobs::CommandJobs(boost::asio::io_context& context, Log log)
    : children_(context, SIGCHLD), timer_(context), log_(std::move(log)) {
  wait_for_children();
}

CommandJobs::~CommandJobs() = default;

void CommandJobs::configure(std::shared_ptr<History> history, const ReservationOptions& reservation,
                            MemoryMeter meter) {
  history_ = std::move(history);
  reservation_ = reservation;
  meter_ = std::move(meter);
}

void CommandJobs::wait_for_children() {
  children_.async_wait([this](boost::system::error_code error, int) {
    if (error) return;
    wait_for_children();
    reap();
  });
}

std::variant<pid_t, std::string> CommandJobs::start(Order order, OnEnd on_end) {
  Prediction expected = history_ ? history_->predict(order.request) : Prediction{};
  const EnforcedLimits limits = enforced_limits(reservation_, expected);
  order.command.memory_high = limits.high;
  order.command.memory_max = limits.max;
  order.command.warn = [this, key = order.request.key](const std::string& line) {
    log_(LogLevel::warning, key + ": " + line);
  };
  auto started = runner_.start(order.command);
  if (std::holds_alternative<std::string>(started)) {
    order.permit.release(Outcome::failed);
    return started;
  }
  const TimePoint now = Clock::now();
  const pid_t job = std::get<pid_t>(started);
  Running& running = running_[job];
  running.number = ++last_number_;
  running.next_measure = running.pace.first(now);
  running.deadline = JobDeadline(order.timeout, now);
  running.expected = std::move(expected);
  running.order = std::move(order);
  running.on_end = std::move(on_end);
  brake_.started(static_cast<std::uint64_t>(job), MemoryBrake::Retry::never);
  poll_soon();
  return started;
}

void CommandJobs::poll_soon() {
  if (running_.empty() || std::exchange(polling_, true)) return;
  timer_.expires_after(kPollInterval);
  timer_.async_wait([this](boost::system::error_code error) {
    polling_ = false;
    if (error) return;
    poll(Clock::now());
    poll_soon();
  });
}

void CommandJobs::poll(TimePoint now) {
  for (auto& [job, running] : running_) {
    if (now >= running.next_measure) measure(job, running, now);
    running.deadline.enforce(runner_, job, now);
  }
  poll_brake(now);
  // SIGCHLD signals coalesce: a job may have ended unnoticed.
  reap();
}

void CommandJobs::poll_brake(TimePoint now) {
  if (running_.empty() || !meter_) return;
  for (const BrakeAction& action : brake_.poll(meter_(now), runner_)) {
    const auto found = running_.find(static_cast<pid_t>(action.job));
    const std::string key = found == running_.end() ? "" : found->second.order.request.key;
    log_(LogLevel::warning, key + ": " + action.sentence());
  }
}

void CommandJobs::measure(pid_t job, Running& running, TimePoint now) {
  const JobUsage usage = runner_.measure(job);
  running.next_measure = running.pace.next(usage, now);
  running.recorded.see(usage);
  if (running.order.permit) running.order.permit.measured(usage);
  const bool learns = history_ && running.order.permit;
  if (learns) history_->running(running.number, running.order.request, usage);
  brake_.update_usage(static_cast<std::uint64_t>(job), usage,
                      expected_peak(reservation_.z, need_of(running.expected)), now);
}

void CommandJobs::ask_to_end(pid_t job) {
  const auto found = running_.find(job);
  if (found == running_.end()) return;
  found->second.deadline.ask(runner_, job, JobDeadline::Because::asked, Clock::now());
}

void CommandJobs::reap() {
  std::vector<std::pair<Running, Ended>> over;
  for (RunEnd& end : runner_.reap()) {
    auto found = running_.extract(end.job);
    if (!found) continue;
    brake_.ended(static_cast<std::uint64_t>(end.job));
    const JobDeadline::Because because = found.mapped().deadline.because();
    over.emplace_back(std::move(found.mapped()), Ended{std::move(end), because, {}});
  }
  if (!over.empty() && brake_.suspends_any()) poll_brake(Clock::now());
  for (auto& [running, ended] : over) finish(running, std::move(ended));
}

void CommandJobs::finish(Running& running, Ended ended) {
  if (running.order.permit) {
    if (history_) {
      const double mean = need_of(running.expected).mean;
      const Bytes kept{static_cast<std::uint64_t>(std::max(0.0, mean))};
      history_->ended(running.number);
      history_->learn(sample_of(running.order.request, ended.end.usage, SeenBy::governor,
                                ended.outcome(), kept, unix_seconds(), &running.recorded));
    }
    running.order.permit.release(ended.outcome());
  }
  ended.recorded = std::move(running.recorded);
  running.on_end(ended);
}

}  // namespace sluice
