#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "sensors/files/result.h"
#include "sluice/prediction.h"
#include "sluice/units.h"

namespace sluice {

/// The memory of one cgroup, judged by its own limit only: a limit says nothing about what another
/// group uses.
struct MemoryLevel {
  std::string where;            ///< The cgroup's folder, printable.
  std::optional<Bytes> limit;   ///< nullopt: unlimited, which is neither 0 nor all of the host.
  std::string_view limited_by;  ///< The file that sets it.
  Bytes current;                ///< Everything charged, page cache included.
  Bytes inactive_file;          ///< Cache that the kernel would reclaim first.
  /// The OOM killer's victim at this level's limit, by memory.oom.group of this level and of those
  /// below it on the path: the kernel kills the whole of the highest one that sets it.
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;

  /// current - inactive_file, at least 0: the kubelet's measure of memory that cannot be reclaimed.
  Bytes working_set() const;
};

/// Memory events since the cgroup was created.
struct MemoryEvents {
  std::optional<std::uint64_t> oom_kills;
  std::optional<std::uint64_t> high;  ///< Times it was throttled at memory.high; v2 only.
};

/// One read of the memory controller, nearest level first. Omits levels without a limit, except the
/// nearest. Empty if memory is not accounted here.
struct MemorySnapshot {
  std::vector<MemoryLevel> levels;
  MemoryEvents events;
  /// The OOM killer's victim if the host itself runs out of memory: by all levels.
  MemoryLimit::Kill kill = MemoryLimit::Kill::process;
};

/// Applies a limit from one of a level's files: the smallest one counts. memory.high counts like
/// memory.max: a group that reaches it is not killed but stalls in reclaim, so its jobs stand
/// still. A value at or above `host_total`, or v1's largest number, is no limit. Pure.
void set_limit(MemoryLevel& level, std::optional<std::uint64_t> limit, std::string_view file,
               std::optional<Bytes> host_total);

/// Reads the memory of this process's cgroup and of its ancestors. Not thread-safe.
class CgroupMemory {
 public:
  /// `host_total`: a limit at or above it is none; nullopt if unknown.
  CgroupMemory(HostPaths paths, std::optional<Bytes> host_total)
      : paths_(std::move(paths)), host_total_(host_total) {}

  /// Fails if the usage below a limit cannot be read: it would look like free memory.
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

  std::optional<ReadFailure> find_group();
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
  RescanTimer rescan_;
  CgroupVersion version_ = CgroupVersion::v2;
  std::vector<std::string> folders_;
  std::vector<Files> levels_;
  std::optional<KeptFile> events_;
};

}  // namespace sluice
