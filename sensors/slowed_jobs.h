#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/own_stall.h"

namespace sluice {

/// Reads what the groups of jobs wait for memory, those of every governor that can be seen
/// (`sluice.*/job.*`, cgroup v2). A job is slowed down where it was held back at its memory.high
/// within the last three seconds: that it has such a limit says nothing yet. Not thread-safe.
class SlowedJobs {
 public:
  explicit SlowedJobs(HostPaths paths) : paths_(std::move(paths)) {}

  /// Reads all of them; what cannot be read is no job.
  void look(TimePoint now);

  /// Since the look before, of those below the folder; of all for an empty one.
  SlowedStall below(const std::string& folder) const;

 private:
  struct Job {
    std::uint64_t total = 0, held_back = 0;
    std::optional<TimePoint> slowed;  ///< Last.
    double waited = 0;                ///< Since the look before, if it is slowed down.
    double some = 0, full = 0;
  };

  void find_homes(TimePoint now);
  void look_at(const std::string& folder, TimePoint now);

  HostPaths paths_;
  std::optional<TimePoint> searched_;
  std::vector<std::string> homes_;
  std::map<std::string, Job> jobs_;
  std::vector<std::string> ended_;  ///< Slowed ones that have gone since the look before.
};

}  // namespace sluice
