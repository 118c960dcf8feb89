#include "sensors/memory_meter.h"

#include <algorithm>
#include <memory>

#include "sensors/cgroup/executor_group.h"
#include "sensors/cgroup/memory.h"
#include "sensors/files/procfs.h"
#include "sensors/pod_processes.h"

namespace sluice {
namespace {

/// Keeps the files open between reads.
class HostMemoryMeter {
 public:
  HostMemoryMeter(const HostPaths& paths, const HostFacts& host)
      : paths_(paths), meminfo_(paths.at("/proc/meminfo")), cgroups_(paths, host.memory_total) {}

  std::vector<MemoryLimit> read(TimePoint now) {
    std::vector<MemoryLimit> limits;
    const auto info = read_parsed(meminfo_, parse_meminfo);
    if (value_in(info)) add_host(*value_in(info), limits);
    add_known_limit(limits);
    const auto snapshot = cgroups_.read(now);
    if (!value_in(snapshot)) return limits;
    for (MemoryLimit& each : limits) each.kill = value_in(snapshot)->kill;
    for (const MemoryLevel& level : value_in(snapshot)->levels) {
      if (!level.limit) continue;
      limits.push_back({level.where, *level.limit, level.working_set(), level.kill});
    }
    return limits;
  }

 private:
  static void add_host(const MemInfo& info, std::vector<MemoryLimit>& limits) {
    const std::uint64_t available = std::min(info.available.value, info.total.value);
    limits.push_back({"host", info.total, Bytes{info.total.value - available}});
  }

  /// For an executor whose group itself cannot be read.
  void add_known_limit(std::vector<MemoryLimit>& limits) const {
    if (!paths_.executor || !paths_.executor->memory_limit) return;
    limits.push_back({std::string(to_string(*paths_.executor->source)),
                      *paths_.executor->memory_limit, pod_memory(paths_).value_or(Bytes{0})});
  }

  HostPaths paths_;
  KeptFile meminfo_;
  CgroupMemory cgroups_;
};

}  // namespace

MemoryMeter memory_meter(const HostPaths& paths, const HostFacts& host) {
  auto meter = std::make_shared<HostMemoryMeter>(paths, host);
  return [meter](TimePoint now) { return meter->read(now); };
}

}  // namespace sluice
