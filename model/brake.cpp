#include "model/brake.h"

#include <chrono>
#include <utility>

#include "governor/law/cores.h"
#include "governor/memory/brake.h"

namespace sluice::model {
void HostBrake::poll(Host& host, const std::vector<Job>& jobs) {
  const MemoryLimit level = host.memory();
  BrakeView view{{}, static_cast<double>(level.limit.value), static_cast<double>(level.used.value)};
  std::map<std::uint64_t, MemoryTrend> seen;
  std::map<std::uint64_t, Host::Number> by_turn;
  for (const Job& job : jobs) {
    const auto before = seen_.find(job.turn);
    MemoryTrend& memory = seen[job.turn];
    if (before != seen_.end()) memory = before->second;
    memory.observe(host.usage(job.number).memory, host.now());
    by_turn[job.turn] = job.number;
    view.jobs.push_back({.turn = job.turn,
                         .used = memory.used,
                         .growth = memory.growth,
                         .expected_peak = job.expected.bytes,
                         .suspended = host.is_suspended(job.number),
                         .margin = job.expected.margin});
  }
  seen_ = std::move(seen);
  const BrakeOrders orders = decide_brake(view);
  for (const std::uint64_t turn : orders.suspend) host.suspend(by_turn.at(turn));
  for (const std::uint64_t turn : orders.resume) host.resume(by_turn.at(turn));
}

}  // namespace sluice::model
