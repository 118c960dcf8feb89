#include "service/job_brake.h"

#include <chrono>

namespace sluice {
namespace {

/// Between two looks at the memory, however many jobs report.
constexpr Duration kLook = std::chrono::milliseconds(50);

/// After it a job's last report says nothing about how it grows.
constexpr Duration kSilent = std::chrono::seconds(1);

}  // namespace

std::vector<BrakeAction> JobBrake::report(JobId job, const JobUsage& usage,
                                          const Prediction& expected, TimePoint now) {
  if (!meter_) return {};
  const auto [found, is_new] = jobs_.try_emplace(job.value);
  Known& known = found->second;
  if (is_new) {
    known.use = MemoryUse::first(usage, now);
    brake_.started(job.value, EmergencyBrake::Retry::never);
  }
  known.use.see(usage, now);
  const MemoryNeed need = need_while_running(expected, known.use, now);
  known.usage = usage;
  known.expected_peak = need.mean + z_ * need.deviation;
  known.reported = now;
  brake_.note(job.value, usage, known.expected_peak, now);
  return now - looked_ < kLook ? std::vector<BrakeAction>{} : look(now);
}

void JobBrake::over(JobId job) {
  jobs_.erase(job.value);
  brake_.ended(job.value);
}

const Suspension* JobBrake::suspension(JobId job) const {
  const auto found = jobs_.find(job.value);
  const bool held = found != jobs_.end() && found->second.suspended;
  return held ? &*found->second.suspended : nullptr;
}

void JobBrake::note_silent(TimePoint now) {
  for (auto& [job, known] : jobs_) {
    if (now - known.reported < kSilent) continue;
    brake_.note(job, known.usage, known.expected_peak, now);
    known.reported = now;
  }
}

std::vector<BrakeAction> JobBrake::look(TimePoint now) {
  looked_ = now;
  note_silent(now);
  BrakeHands hands;
  hands.is_suspended = [this](std::uint64_t job) { return jobs_.at(job).suspended.has_value(); };
  // Who holds the job is told when it reports next.
  hands.suspend = [](std::uint64_t) {};
  hands.resume = [](std::uint64_t) {};
  hands.end = [](std::uint64_t) {};
  auto actions = brake_.look(meter_(now), hands);
  for (const BrakeAction& action : actions) {
    auto& suspended = jobs_.at(action.job).suspended;
    if (action.what == BrakeAction::What::suspended) {
      suspended = {action, now};
    } else {
      suspended.reset();
    }
  }
  return actions;
}

}  // namespace sluice
