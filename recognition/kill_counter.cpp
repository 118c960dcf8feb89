#include "recognition/kill_counter.h"

#include <algorithm>

#include "base/parse.h"
#include "sensors/files/procfs.h"

namespace sluice {
namespace {

constexpr const char* kOfHost = "/proc/vmstat";
constexpr std::size_t kMostRemembered = 256;

}  // namespace

KillMark KillCounter::mark(pid_t process, TimePoint now) {
  if (rescan_.is_due(now)) {
    const auto mounts = read_cgroup_mounts(paths_);
    mounts_ = value_in(mounts) ? *value_in(mounts) : std::vector<Mount>{};
    files_.clear();
  }
  const auto lines = read_once(paths_.at("/proc/" + std::to_string(process) + "/cgroup"));
  const std::string file = value_in(lines) ? file_for(*value_in(lines)) : kOfHost;
  return {file, count_in(file)};
}

std::uint64_t KillCounter::since(const KillMark& mark) const {
  const auto now = count_in(mark.file);
  return now && mark.before ? *now - std::min(*now, *mark.before) : 0;
}

const std::string& KillCounter::file_for(const std::string& lines) {
  const auto found = files_.find(lines);
  if (found != files_.end()) return found->second;
  if (files_.size() >= kMostRemembered) files_.clear();
  return files_[lines] = find_file(lines);
}

std::string KillCounter::find_file(const std::string& lines) const {
  const auto parsed = parse_proc_cgroup(lines);
  const auto place =
      value_in(parsed) ? find_cgroups(*value_in(parsed), mounts_).memory.place : std::nullopt;
  if (!place) return kOfHost;
  const std::string folder = folders_of(*place).front();
  for (const char* name : {"/memory.events.local", "/memory.events", "/memory.oom_control"}) {
    if (count_in(folder + name)) return folder + name;
  }
  return kOfHost;
}

std::optional<std::uint64_t> KillCounter::count_in(const std::string& file) const {
  const auto text = read_once(paths_.at(file));
  return value_in(text) ? number_of(*value_in(text), "oom_kill") : std::nullopt;
}

}  // namespace sluice
