#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/files/file.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"
#include "sluice/units.h"

namespace sluice {

enum class CgroupVersion { v1, v2 };

class HeldFolder;

/// The cgroup of this process, or of its executor, in one hierarchy.
struct CgroupPlace {
  CgroupVersion version = CgroupVersion::v2;
  std::string mount;  ///< Mount point of the hierarchy, without the host's root.
  std::string path;   ///< The cgroup below the mount: "/" or "/a/b".
  /// The cgroup's folder if it is held open; then `mount` is only its owner's name for it.
  std::shared_ptr<const HeldFolder> held = nullptr;
  int above = 0;  ///< If held: the number of visible groups above it.

  bool operator==(const CgroupPlace&) const = default;

  /// The name of one of `folders_of`, for people.
  std::string called(const std::string& folder) const;
};

/// A controller's location, or why it cannot be found. Neither: this host does not have it.
struct CgroupFinding {
  std::optional<CgroupPlace> place;
  std::string problem;

  bool is_on_host() const { return place || !problem.empty(); }
  bool operator==(const CgroupFinding&) const = default;
};

/// Separate for each controller: on a hybrid host memory may be in v1 and io in v2, and the process
/// at different paths in both.
struct CgroupPlaces {
  CgroupFinding memory, cpu, cpuacct, pids, blkio, freezer;
  CgroupFinding unified;  ///< The v2 hierarchy, which holds the pressure files on hybrid hosts too.
};

/// The mounts of cgroup filesystems that a process sees; `process` is a folder of /proc.
Result<std::vector<Mount>> read_cgroup_mounts(const HostPaths& paths,
                                              const std::string& process = "self");

/// Combines /proc/self/cgroup and /proc/self/mountinfo. If a mount shows only a part of its
/// hierarchy (a container without a cgroup namespace), that part's path is cut off; of several
/// mounts the one that shows most of the hierarchy counts. Pure.
CgroupPlaces find_cgroups(const std::vector<CgroupLine>& lines, const std::vector<Mount>& mounts);

/// The same for this process, or what `paths` name instead. Without /proc/self/cgroup there are no
/// cgroups; any other failure becomes the problem of every controller.
CgroupPlaces find_cgroups(const HostPaths& paths);

/// The cgroup and its visible ancestors, nearest first, as absolute folders without the host's
/// root.
std::vector<std::string> folders_of(const CgroupPlace& place);

/// Those of `folders_of` in which the file exists: a controller need not be enabled in each. Fails
/// if the nearest folder itself is gone.
Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupPlace& place,
                                              std::string_view file);

/// The same for a finding: its problem is a failure, and a host without the controller has no
/// folders.
Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupFinding& finding,
                                              std::string_view file);

/// "max" or a number of bytes or tasks; nullopt: unlimited.
Result<std::optional<std::uint64_t>> parse_limit(std::string_view text);

/// A file with one number below 2^64.
Result<std::uint64_t> parse_count(std::string_view text);

/// cpu.max: CPUs that may be used, a fraction; nullopt: unlimited.
Result<std::optional<double>> parse_cpu_max(std::string_view text);

/// cpu.cfs_quota_us and cpu.cfs_period_us of v1, where a quota of -1 is unlimited.
Result<std::optional<double>> parse_cfs_quota(std::string_view quota, std::string_view period);

/// The throttling counters of cpu.stat.
struct ThrottleCounts {
  std::uint64_t periods = 0;    ///< Periods in which the group was runnable, under a quota.
  std::uint64_t throttled = 0;  ///< Those in which the quota ran out.
};
/// nullopt if cpu.stat lacks them, as in the root of v2.
std::optional<ThrottleCounts> parse_throttle_counts(std::string_view text);

/// A CPU quota, and the file that counts the CPU time used under it.
struct CpuQuota {
  std::string where;  ///< The cgroup, printable.
  double cpus = 0;
  std::string usage_file;  ///< Without the host's root; empty if there is none.
  CgroupVersion version = CgroupVersion::v2;

  /// The CPU time in the content of `usage_file`; nullopt if there is none in it.
  std::optional<Duration> used_in(std::string_view text) const;
};

/// The quotas of the cgroup and its ancestors whose use is counted; those that cannot be read are
/// left out.
std::vector<CpuQuota> find_quotas(const HostPaths& paths, const CgroupPlaces& places);

/// The smallest quota of the cgroup and its ancestors, in CPUs; nullopt: unlimited.
Result<std::optional<double>> find_quota(const HostPaths& paths, const CgroupPlaces& places);

/// When to read the cgroups again: a process may be moved, and a controller enabled, while it
/// runs.
class RescanTimer {
 public:
  /// True on the first call, every 10 s, and after `soon`.
  bool is_due(TimePoint now) {
    if (next_ && now < *next_) return false;
    next_ = now + std::chrono::seconds(10);
    return true;
  }
  void soon() { next_.reset(); }

  /// What `read` returns, after `find`, if it is due, has found its files without a ReadFailure.
  /// Soon due again if either fails.
  template <typename Find, typename Read>
  auto read_found(TimePoint now, Find find, Read read) -> decltype(read()) {
    const std::optional<ReadFailure> failure = is_due(now) ? find() : std::nullopt;
    auto result = failure ? decltype(read())(*failure) : read();
    if (!value_in(result)) soon();
    return result;
  }

 private:
  std::optional<TimePoint> next_;
};

}  // namespace sluice
