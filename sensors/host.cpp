#include "sensors/host.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "sensors/cgroup/executor_group.h"
#include "sensors/files/procfs.h"
#include "sensors/psi.h"

namespace sluice {
namespace {

/// The least a quota can leave; the kernel's own minimum is 1 ms in 1 s.
constexpr double kLeastCpus = 0.001;

/// This process may have other CPUs than its executor.
void read_executor_cpus(const ExecutorGroup& executor, HostFacts& facts) {
  const auto& place = executor.places.unified.place;
  if (!place) return;
  const auto cpus = read_once(folders_of(*place).front() + "/cpuset.cpus.effective");
  if (value_in(cpus)) facts.cpus_allowed = count_cpus(*value_in(cpus));
}

void read_cpus(const HostPaths& paths, HostFacts& facts) {
  const std::string path = paths.at("/sys/devices/system/cpu/online");
  const auto online = read_once(path);
  const auto count = value_in(online) ? count_cpus(*value_in(online)) : std::nullopt;
  if (count) {
    facts.cpus_online = *count;
  } else {
    facts.cpus_online = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    facts.problems.push_back(value_in(online) ? path + ": not a list of CPUs"
                                              : failure_in(online).what);
  }
  if (paths.executor) return read_executor_cpus(*paths.executor, facts);
  const std::string status = paths.at("/proc/self/status");
  const auto text = read_once(status);
  if (value_in(text)) facts.cpus_allowed = parse_cpus_allowed(*value_in(text));
  if (!facts.cpus_allowed) {
    facts.problems.push_back(value_in(text) ? status + ": no Cpus_allowed_list"
                                            : failure_in(text).what);
  }
}

void read_quota(const HostPaths& paths, HostFacts& facts) {
  const auto quota = find_quota(paths, facts.cgroups);
  if (value_in(quota)) {
    facts.cpu_quota = *value_in(quota);
  } else {
    facts.problems.push_back("CPU quota: " + failure_in(quota).what);
  }
}

void read_memory_total(const HostPaths& paths, HostFacts& facts) {
  const auto memory = read_parsed(paths.at("/proc/meminfo"), parse_meminfo);
  if (value_in(memory)) {
    facts.memory_total = value_in(memory)->total;
  } else {
    facts.problems.push_back(failure_in(memory).what);
  }
}

bool is_niced() {
  errno = 0;
  const int own = ::getpriority(PRIO_PROCESS, 0);
  return errno == 0 && own > 0;
}

}  // namespace

HostFacts read_host_facts(const HostPaths& paths) {
  HostFacts facts;
  read_cpus(paths, facts);
  facts.cgroups = find_cgroups(paths);
  read_quota(paths, facts);
  read_memory_total(paths, facts);
  facts.cpus_usable = std::min(facts.cpus_online, facts.cpus_allowed.value_or(facts.cpus_online));
  if (facts.cpu_quota) facts.cpus_usable = std::min(facts.cpus_usable, *facts.cpu_quota);
  facts.cpus_usable = std::max(facts.cpus_usable, kLeastCpus);
  facts.is_niced = is_niced();
  facts.measures_cpu_pressure = measures_psi(paths, facts.cgroups, PsiKind::cpu);
  facts.measures_memory_pressure = measures_psi(paths, facts.cgroups, PsiKind::memory);
  facts.measures_io_pressure = measures_psi(paths, facts.cgroups, PsiKind::io);
  return facts;
}

}  // namespace sluice
