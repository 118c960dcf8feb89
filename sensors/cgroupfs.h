#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/file.h"
#include "sensors/procfs.h"
#include "sensors/result.h"
#include "sluice/units.h"

namespace sluice {

enum class CgroupVersion { v1, v2 };

class HeldFolder;

/// The cgroup of this process, or of its executor, in one hierarchy.
struct CgroupPlace {
  CgroupVersion version = CgroupVersion::v2;
  std::string mount;  ///< Where the hierarchy is mounted, without the host's root.
  std::string path;   ///< The cgroup below the mount: "/" or "/a/b".
  /// The cgroup's folder where it is held open; then `mount` only says what its owner calls it.
  std::shared_ptr<const HeldFolder> held = nullptr;
  int above = 0;  ///< Held: how many groups above it can be seen.

  bool operator==(const CgroupPlace&) const = default;

  /// One of `folders_of` as people are told of it.
  std::string called(const std::string& folder) const;
};

/// Where one controller's files are, or why they cannot be found. Neither: this host has none.
struct CgroupFinding {
  std::optional<CgroupPlace> place;
  std::string problem;

  bool is_on_host() const { return place || !problem.empty(); }
};

/// Each controller on its own, since on a hybrid host memory may be in v1, io in v2 and the process
/// at different paths in both.
struct CgroupPlaces {
  CgroupFinding memory, cpu, cpuacct, pids;
  CgroupFinding unified;  ///< The v2 hierarchy, which holds the pressure files also on hybrids.
};

/// Puts together what /proc/self/cgroup and /proc/self/mountinfo say. A mount that shows only a
/// part of its hierarchy (a container without a cgroup namespace) has that part's path cut off;
/// of several mounts the one that shows most of the hierarchy counts. Pure.
CgroupPlaces find_cgroups(const std::vector<CgroupLine>& lines, const std::vector<Mount>& mounts);

/// The same for this process, or the places of its executor where `paths` name one. Without
/// /proc/self/cgroup there are no cgroups; anything else that fails is the problem of every
/// controller.
CgroupPlaces look_up_cgroups(const HostPaths& paths);

/// The cgroup and all above it that can be seen, nearest first, as absolute folders without the
/// host's root.
std::vector<std::string> folders_of(const CgroupPlace& place);

/// Of `folders_of`, those in which the file exists: a controller need not be switched on in each.
/// A failure where the nearest folder itself is gone.
Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupPlace& place,
                                              std::string_view file);

/// The same for what was found of a controller: its problem is a failure, and a host without it has
/// no folders.
Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupFinding& finding,
                                              std::string_view file);

/// "max" or a number of bytes or tasks; none is unlimited.
Result<std::optional<std::uint64_t>> parse_limit(std::string_view text);

/// A file with one number below 2^64.
Result<std::uint64_t> parse_count(std::string_view text);

/// cpu.max: CPUs that may be used, a fraction; none is unlimited.
Result<std::optional<double>> parse_cpu_max(std::string_view text);

/// cpu.cfs_quota_us and cpu.cfs_period_us of v1, where a quota of -1 is unlimited.
Result<std::optional<double>> parse_cfs_quota(std::string_view quota, std::string_view period);

/// The part of cpu.stat that tells of throttling.
struct ThrottleCounts {
  std::uint64_t periods = 0;    ///< In which the group had something to run, under a quota.
  std::uint64_t throttled = 0;  ///< Those of them in which the quota ran out.
};
/// None where cpu.stat does not say, as in the root of v2.
std::optional<ThrottleCounts> parse_throttle_counts(std::string_view text);

/// The least quota of the cgroup and all above it, in CPUs; none is unlimited.
Result<std::optional<double>> look_up_quota(const HostPaths& paths, const CgroupPlaces& places);

/// When to look up again where the cgroups are: a process may be moved, and a controller switched
/// on, while it runs.
class LookAgain {
 public:
  /// True the first time, every 10 s, and after `soon`.
  bool is_due(TimePoint now) {
    if (next_ && now < *next_) return false;
    next_ = now + std::chrono::seconds(10);
    return true;
  }
  void soon() { next_.reset(); }

 private:
  std::optional<TimePoint> next_;
};

}  // namespace sluice
