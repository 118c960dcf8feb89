#include "sensors/pod_processes.h"

#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "base/folder.h"
#include "base/parse.h"
#include "base/process_table.h"

namespace sluice {
namespace {

struct Process {
  pid_t pid = 0, parent = 0;
  std::uint64_t pages = 0;  ///< Resident, without those of files and shared ones.
};

std::vector<Process> processes(const HostPaths& paths) {
  std::vector<Process> all;
  for (const std::string& name : names_in_folder(paths.at("/proc"))) {
    if (!parse_u64(name)) continue;
    const std::string base = paths.at("/proc/" + name);
    // A process that ends meanwhile holds nothing any more.
    const auto stat = read_once(base + "/stat");
    const auto statm = read_once(base + "/statm");
    if (!value_in(stat) || !value_in(statm)) continue;
    const auto facts = parse_process(*value_in(stat), tick_of_this_machine());
    const auto pages = parse_process_memory(*value_in(statm), Bytes{1});
    if (facts && pages) all.push_back({facts->pid, facts->parent, pages->own.value});
  }
  return all;
}

}  // namespace

std::optional<Bytes> pod_memory(const HostPaths& paths) {
  const std::vector<Process> all = processes(paths);
  std::set<pid_t> own{::getpid()};
  for (std::size_t before = 0; before != own.size();) {
    before = own.size();
    for (const Process& each : all) {
      if (own.contains(each.parent)) own.insert(each.pid);
    }
  }
  std::uint64_t pages = 0;
  std::size_t others = 0;
  for (const Process& each : all) {
    if (own.contains(each.pid)) continue;
    ++others;
    pages += each.pages;
  }
  if (others == 0) return std::nullopt;
  return Bytes{pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
}

}  // namespace sluice
