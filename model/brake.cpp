#include "model/brake.h"

#include <chrono>
#include <cmath>
#include <utility>

#include "base/seconds.h"
#include "governor/law/cores.h"
#include "governor/memory/brake.h"

namespace sluice::model {
namespace {

constexpr double kMemory = 0.5;  ///< Seconds over which growth is averaged.

}  // namespace

void HostBrake::poll(Host& host, const std::vector<Job>& jobs) {
  const MemoryLimit level = host.memory();
  BrakeView view{{}, static_cast<double>(level.limit.value), static_cast<double>(level.used.value)};
  std::map<std::uint64_t, Seen> seen;
  std::map<std::uint64_t, Host::Number> by_turn;
  for (const Job& job : jobs) {
    Seen now{static_cast<double>(host.usage(job.number).memory.value), 0, host.now()};
    if (const auto before = seen_.find(job.turn); before != seen_.end()) {
      const double since = to_seconds(now.at - before->second.at);
      const double growth = since > 0 ? (now.used - before->second.used) / since : 0;
      now.growth = before->second.growth +
                   (1 - std::exp(-since / kMemory)) * (growth - before->second.growth);
    }
    seen[job.turn] = now;
    by_turn[job.turn] = job.number;
    view.jobs.push_back({.turn = job.turn,
                         .used = now.used,
                         .growth = now.growth,
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
