#include "process/child/cpu_delay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/parse.h"
#include "base/seconds.h"

namespace sluice {
namespace {

/// Two ticks: with as much CPU time seen, half of what it suggests for the rest is believed.
constexpr Duration kLittleSeen = std::chrono::milliseconds(20);
constexpr double kMostNanoseconds = 9e18;

}  // namespace

std::optional<SchedulerTimes> parse_schedstat(std::string_view text) {
  const auto ran = parse_as<std::int64_t>(next_word(text));
  const auto waited = parse_as<std::int64_t>(next_word(text));
  if (!ran || !waited || *ran < 0 || *waited < 0) return std::nullopt;
  return SchedulerTimes{Duration(*ran), Duration(*waited)};
}

void CpuDelay::sample(const std::vector<pid_t>& processes) {
  std::map<pid_t, SchedulerTimes> now;
  for (const pid_t process : processes) {
    if (const auto times = parse_schedstat(read_schedstat(process))) now[process] = *times;
  }
  update(std::move(now));
}

void CpuDelay::follow(const std::vector<ProcessFacts>& processes) {
  std::map<pid_t, SchedulerTimes> now;
  std::map<pid_t, ProcessFacts> facts;
  for (const ProcessFacts& each : processes) {
    const auto before = facts_.find(each.pid);
    const auto seen = seen_.find(each.pid);
    const bool is_still = each.state != 'R' && before != facts_.end() && seen != seen_.end() &&
                          before->second.started == each.started && before->second.cpu == each.cpu;
    const auto times =
        is_still ? std::optional(seen->second) : parse_schedstat(read_schedstat(each.pid));
    if (!times) continue;
    now[each.pid] = *times;
    facts[each.pid] = each;
  }
  facts_ = std::move(facts);
  update(std::move(now));
}

void CpuDelay::update(std::map<pid_t, SchedulerTimes> now) {
  for (const auto& [process, times] : now) {
    const auto before = seen_.find(process);
    const bool is_new = before == seen_.end() || before->second.ran > times.ran ||
                        before->second.waited > times.waited;
    const SchedulerTimes old = is_new ? SchedulerTimes{} : before->second;
    together_.ran = bounded_sum(together_.ran, times.ran - old.ran);
    together_.waited = bounded_sum(together_.waited, times.waited - old.waited);
  }
  seen_ = std::move(now);
}

Duration CpuDelay::of_part(Duration cpu) const {
  const double seen =
      static_cast<double>(together_.ran.count()) + static_cast<double>(kLittleSeen.count());
  const double waited = static_cast<double>(together_.waited.count()) / seen;
  const double all = waited * static_cast<double>(cpu.count());
  return all < kMostNanoseconds ? Duration(std::llround(all)) : Duration::max();
}

Duration CpuDelay::of_job(Duration cpu) const {
  return bounded_sum(together_.waited, of_part(std::max(Duration(0), cpu - together_.ran)));
}

}  // namespace sluice
