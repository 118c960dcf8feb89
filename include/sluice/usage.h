#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// What one job has used so far, all its processes together.
struct JobUsage {
  /// Where the numbers come from. `cgroup`: the job's own group, exact. `processes`: /proc and
  /// rusage of the processes that could be seen; what came and went between two looks is missing
  /// from the memory, not from the CPU time. `reported`: the client's word.
  enum class Source { cgroup, processes, reported };
  Source source = Source::processes;
  Duration wall{0};  ///< Since it was started, time in which it was suspended left out.
  Duration cpu{0};   ///< User and system.
  /// Time in which its processes could have run but had to wait for a CPU, estimated; with `cpu` at
  /// most what all CPUs of the host could have given.
  Duration cpu_delay{0};
  Bytes memory;                        ///< Working set at the last look: what cannot be given up.
  Bytes peak_memory;                   ///< The largest working set seen; >= `memory`.
  std::optional<Bytes> read, written;  ///< From and to block devices; none where not accounted.
  std::uint64_t oom_kills = 0;         ///< Of its processes, by the kernel.

  /// The cores that it kept busy on average, or would have had it not had to share them; 0 before
  /// any time has passed.
  double busy_cores() const {
    if (wall.count() <= 0) return 0;
    return static_cast<double>((cpu + cpu_delay).count()) / static_cast<double>(wall.count());
  }
};

std::string_view to_string(JobUsage::Source source);

}  // namespace sluice
