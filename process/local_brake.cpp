#include "process/local_brake.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>

#include "base/process_table.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"

namespace sluice {
namespace {

/// Fraction of a limit above which the next call may need the brake.
constexpr double kShort = 0.8;

bool is_short(const std::vector<MemoryLimit>& limits) {
  return std::ranges::any_of(limits, [](const MemoryLimit& each) {
    return static_cast<double>(each.used.value) >= kShort * static_cast<double>(each.limit.value);
  });
}

bool may_signal(pid_t process) { return kill(process, 0) == 0 || errno != EPERM; }

}  // namespace

MemoryMeter brake_meter(ReservationOptions::Brake brake) {
  if (brake == ReservationOptions::Brake::off) return {};
  const HostPaths paths;
  return memory_meter(paths, read_host_facts(paths));
}

std::vector<BrakeAction> LocalBrake::poll(std::vector<BrakedRun> alive, TimePoint now) {
  std::set<std::uint64_t> seen;
  for (const BrakedRun& each : alive) seen.insert(each.number);
  std::vector<std::uint64_t> over;
  for (const auto& [number, known] : known_) {
    if (!seen.contains(number)) over.push_back(number);
  }
  for (const std::uint64_t number : over) gone(number);
  std::ranges::sort(alive, {}, [](const BrakedRun& run) { return run.process.second; });
  for (const BrakedRun& each : alive) {
    meet(each);
    brake_.update_usage(each.process.first, each.usage, each.expected, now);
  }
  // A terminal or a shell may have continued a suspended process, or it forked while it was being
  // stopped.
  guard_.renew();
  for (auto& [number, held] : held_) stop(number, held);
  const std::vector<MemoryLimit> limits = meter_(now);
  is_short_ = is_short(limits);
  BrakeCallbacks callbacks;
  callbacks.is_suspended = [this](std::uint64_t run) { return holds(number_of(run)); };
  callbacks.suspend = [&](std::uint64_t run) {
    const std::uint64_t number = number_of(run);
    Held& held = held_[number];
    held.since = now;
    stop(number, held);
  };
  callbacks.resume = [&](std::uint64_t run) { resume(number_of(run), now); };
  return brake_.poll(limits, callbacks);
}

void LocalBrake::meet(const BrakedRun& run) {
  if (known_.contains(run.number) || !may_signal(run.process.first)) return;
  known_[run.number].process = run.process;
  brake_.started(run.process.first, MemoryBrake::Retry::never);
}

void LocalBrake::gone(std::uint64_t number) {
  const auto found = known_.find(number);
  if (found == known_.end()) return;
  if (holds(number)) resume(number, TimePoint{});
  brake_.ended(found->second.process.first);
  known_.erase(found);
}

Duration LocalBrake::suspended_for(std::uint64_t number, TimePoint now) const {
  const auto found = known_.find(number);
  if (found == known_.end()) return Duration{0};
  const auto held = held_.find(number);
  const Duration still = held == held_.end() ? Duration{0} : now - held->second.since;
  return found->second.suspended + still;
}

/// Repeats until no process is found that another one started while it was being stopped.
void LocalBrake::stop(std::uint64_t number, Held& held) {
  constexpr int kMostAttempts = 5;
  const pid_t run = known_.at(number).process.first;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    if (!guard_.stop(descendants_of(read_processes(), {run}), held.processes)) return;
  }
}

void LocalBrake::resume(std::uint64_t number, TimePoint now) {
  const auto held = held_.extract(number);
  if (!held) return;
  for (const ProcessIdentity& each : held.mapped().processes) guard_.resume(each);
  known_.at(number).suspended += std::max(Duration{0}, now - held.mapped().since);
}

std::uint64_t LocalBrake::number_of(std::uint64_t process) const {
  for (const auto& [number, known] : known_) {
    if (static_cast<std::uint64_t>(known.process.first) == process) return number;
  }
  return 0;
}

}  // namespace sluice
