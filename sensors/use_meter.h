#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sensors/files/result.h"
#include "sensors/host.h"
#include "sluice/machine_use.h"
#include "sluice/units.h"

namespace sluice {

/// One line of /proc/stat, for one CPU or all of them.
struct CpuTimes {
  Duration busy{0};  ///< User, system, and interrupts; without `niced`.
  Duration niced{0};
  Duration idle{0};  ///< Idle, or idle while a task waited for I/O.
  Duration stolen{0};
};

/// /proc/stat.
struct ProcStat {
  CpuTimes all;
  std::vector<std::optional<CpuTimes>> each;  ///< By CPU number; nullopt while offline.
  std::uint64_t running = 0, blocked = 0;
};

/// `tick`: the unit of the file's times, 1 / sysconf(_SC_CLK_TCK) seconds.
Result<ProcStat> parse_proc_stat(std::string_view text, Duration tick);

/// Sectors read and written by the disks of /proc/diskstats. A partition counts in addition to its
/// disk: the growth of the sum shows progress, whatever its unit.
std::uint64_t parse_diskstats(std::string_view text);

/// /proc/schedstat: what the tasks of all CPUs did, without the times in scheduling domains.
/// Versions 15 to 17 agree in the lines of CPUs; those before count ticks and are refused. The
/// counts of the scheduler's decisions, which `kernel.sched_schedstats` switches off, are not used.
Result<UseCounters::RunDelay> parse_host_schedstat(std::string_view text);

/// Reads this host's counters; keeps the files open between reads. CPU time of niced processes
/// counts as used only if this process is niced itself, and its jobs with it: else they yield.
UseMeter use_meter(const HostPaths& paths, const HostFacts& host);

}  // namespace sluice
