#include "process/memory_brake.h"

#include <algorithm>

#include "base/enum_names.h"
#include "base/text.h"
#include "governor/memory/brake.h"
#include "process/runner.h"

namespace sluice {
namespace {

/// The level closest to the brake's threshold, which need not be the one with the least free
/// memory: the last twentieth of a large host is more than the whole of a small group.
std::optional<MemoryLimit> tightest(const std::vector<MemoryLimit>& limits) {
  const auto room = [](const MemoryLimit& limit) {
    return brake_points(limit.kill).near * static_cast<double>(limit.limit.value) -
           static_cast<double>(limit.used.value);
  };
  const auto found = std::ranges::min_element(limits, {}, room);
  return found == limits.end() ? std::nullopt : std::optional(*found);
}

std::string_view word(BrakeAction::What what) {
  static constexpr EnumNames<BrakeAction::What::ended> kNames{"suspended", "resumed", "ended"};
  return kNames.of(what);
}

}  // namespace

std::string BrakeAction::cause() const {
  return bytes_text(level.used) + " of " + bytes_text(level.limit) + " used (" + level.where + ")";
}

std::string BrakeAction::sentence() const {
  return std::string(word(what)) + " job " + std::to_string(job) + ", which holds " +
         bytes_text(job_memory) + ": " + cause();
}

void MemoryBrake::started(std::uint64_t job, Retry retry, std::uint64_t owner) {
  jobs_[job] = {.turn = ++last_turn_, .retry = retry, .owner = owner, .memory = {}, .expected = {}};
}

void MemoryBrake::update_usage(std::uint64_t job, const JobUsage& usage,
                               const ExpectedPeak& expected, TimePoint now) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  found->second.memory.observe(usage.memory, now);
  found->second.expected = expected;
}

bool MemoryBrake::suspends_any() const {
  return std::ranges::any_of(jobs_, [](const auto& each) { return each.second.suspended; });
}

std::vector<BrakeAction> MemoryBrake::poll(const std::vector<MemoryLimit>& limits, Runner& runner) {
  const auto process = [](std::uint64_t job) { return static_cast<pid_t>(job); };
  return poll(limits,
              BrakeCallbacks{[&](std::uint64_t job) { return runner.is_suspended(process(job)); },
                             [&](std::uint64_t job) { runner.suspend(process(job)); },
                             [&](std::uint64_t job) { runner.resume(process(job)); },
                             [&](std::uint64_t job) { runner.end(process(job)); },
                             {},
                             {}});
}

std::vector<BrakeAction> MemoryBrake::poll(const std::vector<MemoryLimit>& limits,
                                           const BrakeCallbacks& callbacks) {
  std::vector<BrakeAction> actions;
  const auto level = tightest(limits);
  if (!level) return actions;
  BrakeView view{
      {}, static_cast<double>(level->limit.value), static_cast<double>(level->used.value)};
  view.kill = level->kill;
  if (callbacks.growth) view.growth = callbacks.growth(*level);
  std::map<std::uint64_t, std::uint64_t> by_turn;
  for (const auto& [job, watched] : jobs_) {
    if (callbacks.is_exempt && callbacks.is_exempt(job)) continue;
    by_turn[watched.turn] = job;
    view.jobs.push_back({.turn = watched.turn,
                         .used = watched.memory.used,
                         .growth = watched.memory.growth,
                         .expected_peak = watched.expected.bytes,
                         .suspended = callbacks.is_suspended(job),
                         .retryable = watched.retry == Retry::allowed,
                         .owner = watched.owner,
                         .margin = watched.expected.margin});
  }
  const BrakeOrders orders = decide_brake(view);
  const auto act = [&](const std::vector<std::uint64_t>& turns, BrakeAction::What what,
                       const std::function<void(std::uint64_t)>& carry_out, std::uint64_t& count) {
    for (const std::uint64_t turn : turns) {
      const std::uint64_t job = by_turn.at(turn);
      if (carry_out) carry_out(job);
      ++count;
      jobs_.at(job).suspended = what == BrakeAction::What::suspended;
      const auto held = static_cast<std::uint64_t>(jobs_.at(job).memory.used);
      actions.push_back({what, job, Bytes{held}, *level});
    }
  };
  act(orders.suspend, BrakeAction::What::suspended, callbacks.suspend, counts_.suspended);
  act(orders.resume, BrakeAction::What::resumed, callbacks.resume, counts_.resumed);
  act(orders.end, BrakeAction::What::ended, callbacks.end, counts_.ended);
  // Its memory is freed in a moment; until then the brake must not choose it again.
  for (const BrakeAction& action : actions) {
    if (action.what == BrakeAction::What::ended) jobs_.erase(action.job);
  }
  return actions;
}

}  // namespace sluice
