#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/file.h"
#include "sensors/result.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

/// The memory of one cgroup, judged by its own limit only: a limit says nothing about what another
/// group uses.
struct MemoryLevel {
  std::string where;            ///< The cgroup's folder, fit for printing.
  std::optional<Bytes> limit;   ///< None is unlimited, which is neither 0 nor all of the host.
  std::string_view limited_by;  ///< The file that sets it.
  Bytes current;                ///< All that is charged, page cache included.
  Bytes inactive_file;          ///< Cache that the kernel would give up first.
  /// Whom the kernel kills at this level's limit: by memory.oom.group of this level and of those
  /// below it on the way, since it takes all of the highest of these that says so.
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;

  /// current - inactive_file, never below 0: the kubelet's measure of what cannot be given up.
  Bytes working_set() const;
};

/// What the kernel has had to do about memory since the cgroup was made.
struct MemoryEvents {
  std::optional<std::uint64_t> oom_kills;
  std::optional<std::uint64_t> high;  ///< Times it was held back at memory.high; v2 only.
};

/// One look at the memory controller, nearest level first. Levels without a limit are left out,
/// except that the nearest is always there. Empty: memory is not accounted here.
struct MemorySnapshot {
  std::vector<MemoryLevel> levels;
  MemoryEvents events;
  /// Whom the kernel kills where the host itself has no memory left: by all levels.
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;
};

/// The limit that a level's files set: the least that limits. memory.high counts as memory.max
/// does: a group that reaches it is not killed but stalled in reclaim, so its jobs stand still.
/// What reaches `host_total`, or v1's largest number, is no limit. Pure.
void set_limit(MemoryLevel& level, std::optional<std::uint64_t> limit, std::string_view file,
               std::optional<Bytes> host_total);

/// Reads the memory of this process's cgroup and of all above it. Not thread-safe.
class CgroupMemory {
 public:
  /// `host_total`: a limit that is not below it is none; none where it is not known.
  CgroupMemory(HostPaths paths, std::optional<Bytes> host_total);

  /// A limit whose usage cannot be read is a failure: it would otherwise look like room.
  Result<MemorySnapshot> read(TimePoint now);

 private:
  struct Files {
    std::string where;
    std::vector<KeptFile> limits;
    std::vector<std::string_view> limit_names;
    KeptFile current;
    KeptFile stat;
    KeptFile oom_group;
  };

  std::optional<ReadFailure> look_up();
  std::optional<ReadFailure> open_levels(const CgroupPlace& place);
  Files files_in(const CgroupPlace& place, const std::string& folder) const;
  bool ends_hierarchy(const std::string& folder, CgroupVersion version) const;
  Result<MemoryLevel> read_limit(Files& files) const;
  std::optional<ReadFailure> read_usage(Files& files, MemoryLevel& level) const;
  Result<MemorySnapshot> read_levels();
  bool kills_all(Files& files) const;
  MemoryEvents read_events();

  HostPaths paths_;
  std::optional<Bytes> host_total_;
  LookAgain look_again_;
  CgroupVersion version_ = CgroupVersion::v2;
  std::vector<std::string> folders_;
  std::vector<Files> levels_;
  std::optional<KeptFile> events_;
};

}  // namespace sluice
