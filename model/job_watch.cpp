#include "model/job_watch.h"

#include <chrono>
#include <map>
#include <utility>

#include "base/seconds.h"
#include "governor/memory/brake.h"
#include "governor/memory/later_memory.h"

namespace sluice::model {
namespace {

/// Below this part of the memory the brake has nothing to do, unless a job is suspended.
constexpr double kShort = 0.8;

}  // namespace

void JobWatch::start(Host::Number number, Job job) {
  if (number >= running_.size()) running_.resize(number + 1);
  const auto need = history_ ? history_->predict(job.request).memory : std::nullopt;
  const Bytes reserved{static_cast<std::uint64_t>(need ? need->mean : 0)};
  running_[number] = Running{std::move(job), ++last_turn_, reserved};
}

const JobWatch::Job* JobWatch::find(Host::Number number) const {
  return number < running_.size() && running_[number] ? &running_[number]->job : nullptr;
}

void JobWatch::measure(Core& core) {
  for (Host::Number number = 0; number < running_.size(); ++number) {
    if (!running_[number]) continue;
    Running& running = *running_[number];
    const JobUsage usage = host_.usage(number);
    running.recorded.see(usage);
    core.measured(running.job.slot, usage, host_.now());
    if (!reserves()) continue;
    if (!running.use) running.use = MemoryUse::first(usage, host_.now());
    running.use->see(usage, host_.now());
    if (history_) history_->running(running.job.id.value, running.job.request, usage);
  }
}

void JobWatch::brake(const ReservationOptions& reservation) {
  if (!reserves() || reservation.brake == ReservationOptions::Brake::off) return;
  bool is_urgent = host_.available() < 1 - kShort;
  for (Host::Number number = 0; number < running_.size(); ++number) {
    is_urgent = is_urgent || (running_[number] && host_.is_suspended(number));
  }
  if (!is_urgent) return;
  const MemoryLimit level = host_.memory();
  BrakeView view{{}, static_cast<double>(level.limit.value), static_cast<double>(level.used.value)};
  std::map<std::uint64_t, Host::Number> by_turn;
  for (Host::Number number = 0; number < running_.size(); ++number) {
    if (!running_[number]) continue;
    Running& running = *running_[number];
    const Prediction need = history_ ? history_->predict(running.job.request) : Prediction{};
    const ExpectedPeak expected = expected_from_now(reservation.z, need, running.use, host_.now());
    running.trend.observe(host_.usage(number).memory, host_.now());
    by_turn[running.turn] = number;
    view.jobs.push_back({.turn = running.turn,
                         .used = running.trend.used,
                         .growth = running.trend.growth,
                         .expected_peak = expected.bytes,
                         .suspended = host_.is_suspended(number),
                         .margin = expected.margin});
  }
  const BrakeOrders orders = decide_brake(view);
  for (const std::uint64_t turn : orders.suspend) host_.suspend(by_turn.at(turn));
  for (const std::uint64_t turn : orders.resume) host_.resume(by_turn.at(turn));
}

std::optional<JobWatch::Job> JobWatch::end(const Host::Ended& ended, Outcome outcome, Core& core) {
  if (!find(ended.job)) return std::nullopt;
  Running running = std::move(*std::exchange(running_[ended.job], std::nullopt));
  core.measured(running.job.slot, ended.usage, host_.now());
  if (history_) {
    const auto now = std::chrono::floor<std::chrono::seconds>(host_.now().time_since_epoch());
    history_->ended(running.job.id.value);
    history_->learn(sample_of(running.job.request, ended.usage, SeenBy::governor, outcome,
                              running.reserved, now.count(), &running.recorded));
  }
  return std::move(running.job);
}

double JobWatch::cpu_seconds() const {
  double sum = 0;
  for (Host::Number number = 0; number < running_.size(); ++number) {
    if (running_[number]) sum += to_seconds(host_.usage(number).cpu);
  }
  return sum;
}

}  // namespace sluice::model
