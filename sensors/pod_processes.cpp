#include "sensors/pod_processes.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/parse.h"

namespace sluice {
namespace {

struct Process {
  std::uint64_t pid = 0;
  std::uint64_t parent = 0;
  std::uint64_t pages = 0;
};

/// Field 4 of /proc/PID/stat; the name before it may contain anything but ends at the last ')'.
std::optional<std::uint64_t> parent_in(std::string_view stat) {
  const std::size_t end = stat.rfind(')');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = stat.substr(end + 1);
  next_word(rest);
  return parse_u64(next_word(rest));
}

/// Resident pages minus file-backed and shared ones.
std::optional<std::uint64_t> pages_in(std::string_view statm) {
  next_word(statm);
  const auto resident = parse_u64(next_word(statm));
  const auto shared = parse_u64(next_word(statm));
  if (!resident || !shared) return std::nullopt;
  return *resident - std::min(*resident, *shared);
}

std::vector<Process> processes(const HostPaths& paths) {
  std::vector<Process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(paths.at("/proc").c_str()),
                                                   ::closedir);
  if (!folder) return all;
  while (const dirent* entry = ::readdir(folder.get())) {
    const auto pid = parse_u64(entry->d_name);
    if (!pid) continue;
    const std::string base = paths.at("/proc/") + entry->d_name;
    // A process that ends meanwhile holds nothing any more.
    const auto stat = read_once(base + "/stat");
    const auto statm = read_once(base + "/statm");
    if (!value_in(stat) || !value_in(statm)) continue;
    const auto parent = parent_in(*value_in(stat));
    const auto pages = pages_in(*value_in(statm));
    if (parent && pages) all.push_back({*pid, *parent, *pages});
  }
  return all;
}

}  // namespace

std::optional<Bytes> pod_memory(const HostPaths& paths) {
  const std::vector<Process> all = processes(paths);
  std::set<std::uint64_t> own{static_cast<std::uint64_t>(::getpid())};
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
