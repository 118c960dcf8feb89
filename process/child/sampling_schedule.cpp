#include "process/child/sampling_schedule.h"

#include <chrono>
#include <utility>

namespace sluice {
namespace {

constexpr Duration kFirstInterval = std::chrono::milliseconds(100);
constexpr Duration kUsual = std::chrono::milliseconds(250);
constexpr Duration kGrowing = std::chrono::milliseconds(100);
constexpr Bytes kGrows{1 << 20};

}  // namespace

TimePoint SamplingSchedule::first(TimePoint start) const { return start + kFirstInterval; }

TimePoint SamplingSchedule::next(const JobUsage& usage, TimePoint now) {
  const Bytes before = std::exchange(before_, usage.memory);
  return now + (usage.memory.value > before.value + kGrows.value ? kGrowing : kUsual);
}

}  // namespace sluice
