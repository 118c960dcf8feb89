#include "sensors/cgroup/memory_limits.h"

#include <unistd.h>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/cgroup/memory.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"

namespace sluice {
namespace {

std::optional<Bytes> total_of(const HostPaths& paths) {
  const auto facts = read_parsed(paths.at("/proc/meminfo"), parse_meminfo);
  return value_in(facts) ? std::optional<Bytes>(value_in(facts)->total) : std::nullopt;
}

}  // namespace

std::optional<std::vector<GroupLimit>> memory_limits_of(pid_t process, HostPaths paths) {
  paths.process = std::to_string(process);
  const CgroupFinding group = find_cgroups(paths).memory;
  const auto snapshot = CgroupMemory(paths, total_of(paths)).read(TimePoint{});
  // Last: one that has ended meanwhile looked as if it were in no group.
  const bool is_there = access(paths.at("/proc/" + paths.process + "/cgroup").c_str(), R_OK) == 0;
  if (!is_there || !value_in(snapshot)) return std::nullopt;
  std::vector<GroupLimit> limits;
  if (!group.place) return limits;
  const std::vector<std::string> folders = folders_of(*group.place);
  const std::string nearest = group.place->called(folders.front());
  for (const MemoryLevel& level : value_in(snapshot)->levels) {
    if (!level.limit) continue;
    limits.push_back({level.where, *level.limit, level.where == nearest && folders.size() > 1});
  }
  return limits;
}

}  // namespace sluice
