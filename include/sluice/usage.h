#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Resources one job has used so far, over all its processes.
struct JobUsage {
  /// Source of the numbers. `cgroup`: the job's own group, exact. `processes`: /proc and rusage of
  /// the processes that were visible; a process that came and went between two samples is missing
  /// from the memory but counted in the CPU time. `reported`: the client's claim.
  enum class Source { cgroup, processes, reported };
  Source source = Source::processes;
  Duration wall{0};  ///< Time since its start, without time suspended.
  Duration cpu{0};   ///< User and system time.
  /// Estimated time in which its processes were runnable but waited for a CPU; together with `cpu`
  /// at most what all CPUs of the host could have provided.
  Duration cpu_delay{0};
  Bytes memory;       ///< Last sampled working set: memory that cannot be reclaimed.
  Bytes peak_memory;  ///< Largest working set sampled; >= `memory`.
  std::optional<Bytes> read, written;  ///< From and to block devices; nullopt if not accounted.
  std::uint64_t oom_kills = 0;         ///< The job's processes killed by the OOM killer.

  /// The cores it kept busy on average, or would have without having to share them; 0 before any
  /// time has passed.
  double busy_cores() const {
    if (wall.count() <= 0) return 0;
    return static_cast<double>((cpu + cpu_delay).count()) / static_cast<double>(wall.count());
  }
};

std::string_view to_string(JobUsage::Source source);

}  // namespace sluice
