#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Counters of what the CPUs and disks have done. Only the growth between two readings means
/// anything.
struct UseCounters {
  /// CPU time at one level: the host's CPUs that this process may run on, or a quota.
  struct Level {
    /// "host" (and how often its CPUs for this process have changed), or the cgroup's folder;
    /// printable. Levels of different names cannot be compared.
    std::string where;
    Duration used{0};       ///< By anyone at this level, without work that yields to ours.
    Duration available{0};  ///< The CPU time there was, less what a hypervisor took; growth >= 0.
  };
  /// Time in which at least one task waited (pressure stall information, `some`).
  struct Stall {
    std::string source;  ///< The file; a stall of another file cannot be compared.
    Duration some{0};
  };

  /// What all tasks of the host did on its CPUs (/proc/schedstat).
  struct RunDelay {
    Duration ran{0};     ///< On a CPU. Stands still where the kernel does not count.
    Duration waited{0};  ///< Runnable, but waiting for a CPU: one second for each waiting task.
  };

  TimePoint at;
  double cpus = 1;            ///< Usable CPUs, > 0; a fraction under a quota.
  std::vector<Level> levels;  ///< The host first; empty if nothing can be read.
  Duration yielding{0};       ///< CPU time of work that yields to ours, not in `used`.
  std::optional<Stall> cpu_stall, io_stall;  ///< nullopt without PSI.
  /// nullopt where the kernel has none, or this process may not run on all CPUs.
  std::optional<RunDelay> run_delay;
  std::uint64_t running = 0;  ///< Tasks on a CPU or waiting for one, now.
  std::uint64_t blocked = 0;  ///< Tasks waiting for I/O, now.
  std::uint64_t sectors = 0;  ///< Read and written by all disks.
};

/// Reads the counters. Runs on the window thread, four times a second, and must not block.
using UseMeter = std::function<UseCounters(TimePoint now)>;

}  // namespace sluice
