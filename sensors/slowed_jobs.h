#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sensors/files/file.h"
#include "sensors/own_stall.h"

namespace sluice {

/// Reads how long the groups of jobs wait for memory, for every visible governor (`sluice.*/job.*`,
/// cgroup v2). A job counts as throttled if the kernel throttled it at its memory.high within the
/// last three seconds; having such a limit is not enough. Not thread-safe.
class SlowedJobs {
 public:
  explicit SlowedJobs(HostPaths paths) : paths_(std::move(paths)) {}

  /// Reads all of them; skips jobs that cannot be read.
  void sample(TimePoint now);

  /// Since the previous sample, for the jobs below the folder; for all jobs if it is empty.
  SlowedStall below(const std::string& folder) const;

 private:
  struct Job {
    std::uint64_t total = 0, held_back = 0;
    std::optional<TimePoint> slowed;  ///< Last time it was throttled.
    double waited = 0;                ///< Since the previous sample, if it is throttled.
    double some = 0, full = 0;
  };

  void find_homes(TimePoint now);
  void sample_job(const std::string& folder, TimePoint now);

  HostPaths paths_;
  std::optional<TimePoint> searched_;
  std::vector<std::string> homes_;
  std::map<std::string, Job> jobs_;
  std::vector<std::string> ended_;  ///< Throttled ones that ended since the previous sample.
};

}  // namespace sluice
