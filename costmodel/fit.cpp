#include "costmodel/fit.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"

namespace sluice {
namespace {

/// Of the CPUs, what may be expected of them together: decision 49.
constexpr double kCpuShare = 1.25;

/// Most jobs that a host runs, and the least core that a job may count as.
constexpr std::size_t kMost = 4096;
constexpr double kLeastCores = 0.1;

std::size_t whole(double jobs) {
  if (!(jobs > 0)) return 0;
  return jobs >= static_cast<double>(kMost) ? kMost : static_cast<std::size_t>(jobs);
}

double memory_of(std::size_t jobs, const MemoryNeed& need, double z) {
  const auto count = static_cast<double>(jobs);
  const double margin = z * need.deviation * std::sqrt(count);
  return count * need.mean + std::min(margin, count * std::max(0.0, need.most - need.mean));
}

/// The largest number whose memory is free: it grows with the number, so halving finds it.
std::size_t fit_memory(double free, const MemoryNeed& need, double z) {
  std::size_t fits = 0, too_many = kMost + 1;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (memory_of(middle, need, z) <= free ? fits : too_many) = middle;
  }
  return fits;
}

}  // namespace

FitRoom room_of(const Status& status, double cpus) {
  FitRoom room;
  room.cores = kCpuShare * cpus;
  if (status.cpu) {
    room.cores = kCpuShare * status.cpu->cpus - status.cpu->demand - status.cpu->others;
  }
  const Points most = status.law == Law::knee ? status.maximum : status.size;
  room.points = Points{most.value - status.usage.value};
  if (const auto& memory = status.memory) {
    const auto of = [](Bytes bytes) { return static_cast<double>(bytes.value); };
    room.memory = of(memory->promised) - of(memory->others) - of(memory->kept) - of(memory->margin);
  }
  return room;
}

Fit fit_in(const FitRoom& room, const Prediction& need, double z) {
  Fit fit;
  const double cores = std::max(need.cores.value_or(1), kLeastCores);
  std::size_t jobs = whole(room.cores / cores);
  const auto limit = [&](std::size_t most, Fit::Bound bound) {
    if (most >= jobs) return;
    jobs = most;
    fit.bound = bound;
  };
  if (room.memory && need.memory) {
    limit(fit_memory(*room.memory, *need.memory, z), Fit::Bound::memory);
  }
  if (room.points) {
    const auto cost = std::max<std::int64_t>(need.cost.value, 1);
    limit(whole(static_cast<double>(room.points->value) / static_cast<double>(cost)),
          Fit::Bound::window);
  }
  fit.jobs = std::max<std::size_t>(jobs, 1);
  return fit;
}

std::string_view to_string(Fit::Bound bound) {
  static constexpr EnumNames<Fit::Bound::window> kNames{"cpus", "memory", "window"};
  return kNames.of(bound);
}

}  // namespace sluice
