#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"

namespace sluice {

/// Tasks of one cgroup, or of the host, and the limit of the same one.
struct PidsLevel {
  std::string where;
  std::uint64_t current = 0;
  std::uint64_t limit = 0;
};

struct PidsLimits {
  double ratio = 0.05;         ///< Minimum free part of the limit.
  std::int64_t headroom = 10;  ///< Minimum number of free tasks.
};

/// max(ratio x limit, headroom) / (limit - current) of each level; reaching it is red. The
/// condition "cgroup" is that of the tightest cgroup and absent if none has a limit. Source of 5 %
/// and 10: Zuul.
Reading pids_reading(const std::vector<PidsLevel>& cgroups, const PidsLevel& host,
                     const PidsLimits& limits);

/// The `pids` sensor: each level of the pids cgroup that has a limit, and the host. Not
/// thread-safe.
class PidsSensor {
 public:
  PidsSensor(HostPaths paths, PidsLimits limits)
      : paths_(std::move(paths)),
        limits_(limits),
        pid_max_(paths_.at("/proc/sys/kernel/pid_max")),
        threads_max_(paths_.at("/proc/sys/kernel/threads-max")),
        loadavg_(paths_.at("/proc/loadavg")) {}

  /// Fails if a limit's usage, or the host's limit, cannot be read.
  Result<Reading> read(TimePoint now);

 private:
  struct Files {
    std::string where;
    KeptFile limit;
    KeptFile current;
  };

  std::optional<ReadFailure> find_group();
  Result<std::vector<PidsLevel>> read_cgroups();
  Result<PidsLevel> read_host();

  HostPaths paths_;
  PidsLimits limits_;
  RescanTimer rescan_;
  std::vector<std::string> folders_;
  std::vector<Files> levels_;
  KeptFile pid_max_;
  KeptFile threads_max_;
  KeptFile loadavg_;
};

}  // namespace sluice
