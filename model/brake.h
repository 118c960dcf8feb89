#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "governor/memory/memory_trend.h"
#include "model/host.h"
#include "sluice/prediction.h"

namespace sluice::model {

/// The emergency brake on the jobs of a host: what `MemoryBrake` does with processes. It suspends
/// and resumes, and ends none, like that of `sluice run`. Not thread-safe.
class HostBrake {
 public:
  struct Job {
    Host::Number number;
    std::uint64_t turn = 0;  ///< Order of start; unique.
    ExpectedPeak expected;
  };

  /// Call it ten times a second with all jobs that run.
  void poll(Host& host, const std::vector<Job>& jobs);

 private:
  std::map<std::uint64_t, MemoryTrend> seen_;  ///< By turn.
};

}  // namespace sluice::model
