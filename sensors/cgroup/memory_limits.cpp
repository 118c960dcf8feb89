#include "sensors/cgroup/memory_limits.h"

#include <unistd.h>

#include <utility>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/cgroup/memory.h"
#include "sensors/files/procfs.h"
#include "sensors/files/result.h"

namespace sluice {
namespace {

std::optional<Bytes> total_of(const HostPaths& paths) {
  const auto text = read_once(paths.at("/proc/meminfo"));
  if (!value_in(text)) return std::nullopt;
  const auto facts = parse_meminfo(*value_in(text));
  return value_in(facts) ? std::optional<Bytes>(value_in(facts)->total) : std::nullopt;
}

}  // namespace

std::optional<std::vector<GroupLimit>> memory_limits_of(pid_t process, HostPaths paths) {
  paths.process = std::to_string(process);
  if (access(paths.at("/proc/" + paths.process + "/cgroup").c_str(), R_OK) != 0) {
    return std::nullopt;
  }
  const auto snapshot = CgroupMemory(paths, total_of(paths)).read(TimePoint{});
  if (!value_in(snapshot)) return std::nullopt;
  const CgroupFinding group = find_cgroups(paths).memory;
  std::vector<GroupLimit> limits;
  for (const MemoryLevel& level : value_in(snapshot)->levels) {
    if (!level.limit) continue;
    const bool is_top = level.where == group.place->called(folders_of(*group.place).back());
    limits.push_back({level.where, *level.limit, is_top});
  }
  return limits;
}

}  // namespace sluice
