#include "sensors/cgroup/find_executor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/folder.h"
#include "base/parse.h"
#include "base/process_table.h"
#include "base/text.h"
#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/procfs.h"

namespace sluice {
namespace {

constexpr std::array<const char*, 4> kControllers{"memory", "cpu", "cpuacct", "pids"};

/// Maximum depth of container groups in a hierarchy.
constexpr int kDeepest = 12;

/// A pause container holds less than this.
constexpr std::uint64_t kIdleContainer = std::uint64_t{2} << 20;

/// Opens each folder once, with all controllers found in it. `folders`: by controller, "" for v2;
/// `root` is prepended when opening them.
Result<ExecutorGroup> open_group(GroupSource source, const std::string& root,
                                 const std::map<std::string, std::string>& folders) {
  std::map<std::string, std::string> controllers;
  for (const auto& [controller, folder] : folders) {
    std::string& all = controllers[folder];
    all += (all.empty() ? "" : ",") + controller;
  }
  std::vector<GroupFolder> held;
  for (const auto& [folder, names] : controllers) {
    const int descriptor = ::open((root + folder).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return ReadFailure{printable(root + folder) + ": " + error_text(errno)};
    held.push_back({names, std::make_shared<HeldFolder>(descriptor, printable(folder))});
    if (const auto wrong = wrong_with(held.back())) {
      return ReadFailure{printable(root + folder) + " " + *wrong};
    }
  }
  if (held.empty()) return ReadFailure{"no cgroup hierarchy is mounted there"};
  return executor_group(source, std::move(held));
}

/// Its start time; nullopt once it has ended.
std::optional<std::uint64_t> started(const HostPaths& paths, const std::string& pid) {
  const auto text = read_once(paths.at("/proc/" + pid + "/stat"));
  const auto facts =
      value_in(text) ? parse_process(*value_in(text), tick_of_this_machine()) : std::nullopt;
  return facts ? std::optional(facts->started) : std::nullopt;
}

/// The mount path of a group. Both paths are relative to the reader's own group, so they may begin
/// with "/.." and still agree.
std::optional<std::string> mounted_at(const Mount& mount, const std::string& path) {
  if (mount.root == "/") return mount.point + (path == "/" ? "" : path);
  if (path == mount.root) return mount.point;
  if (!path.starts_with(mount.root + "/")) return std::nullopt;
  return mount.point + path.substr(mount.root.size());
}

/// The folders of a process's groups as it sees them, by controller.
std::map<std::string, std::string> folders_of_process(const std::vector<CgroupLine>& lines,
                                                      const std::vector<Mount>& mounts) {
  std::map<std::string, std::string> folders;
  for (const CgroupLine& line : lines) {
    for (const Mount& mount : mounts) {
      const auto place = mounted_at(mount, line.path);
      if (!place) continue;
      if (line.hierarchy == 0 && mount.type == "cgroup2") folders.emplace("", *place);
      for (const char* controller : kControllers) {
        const auto& own = line.controllers;
        const bool is_of_line = std::find(own.begin(), own.end(), controller) != own.end();
        if (is_of_line && mount.type == "cgroup" && has_item(mount.options, controller)) {
          folders.emplace(controller, *place);
        }
      }
    }
  }
  return folders;
}

Result<ExecutorGroup> group_of_process(const HostPaths& paths, const std::string& pid) {
  const auto began = started(paths, pid);
  const std::string base = paths.at("/proc/" + pid);
  const auto lines = read_parsed(base + "/cgroup", parse_proc_cgroup);
  if (!value_in(lines)) return failure_in(lines);
  const auto mounts = read_cgroup_mounts(paths, pid);
  if (!value_in(mounts)) return failure_in(mounts);
  auto group = open_group(GroupSource::procroot, base + "/root",
                          folders_of_process(*value_in(lines), *value_in(mounts)));
  // The pid may have been reused, and what was opened may belong to another process.
  if (!began || started(paths, pid) != began) {
    return ReadFailure{"process " + pid + " ended during the check"};
  }
  return group;
}

/// Collects all folders below `top`, itself included, that `wanted` accepts; does not descend into
/// those.
void walk(const std::string& top, int depth, const std::function<bool(const std::string&)>& wanted,
          std::vector<std::string>& found) {
  if (wanted(top)) {
    found.push_back(top);
    return;
  }
  if (depth == 0) return;
  for (const std::string& folder : folders_in(top)) walk(folder, depth - 1, wanted, found);
}

bool is_same_folder(const std::string& one, const struct stat& other) {
  struct stat what {};
  return ::stat(one.c_str(), &what) == 0 && what.st_dev == other.st_dev &&
         what.st_ino == other.st_ino;
}

std::string base_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Whether the folder is named after the pod: its uid, with or without '_' for '-'.
bool is_of_pod(const std::string& folder, const std::string& uid) {
  const std::string name = base_of(folder);
  std::string slice = uid;
  std::replace(slice.begin(), slice.end(), '-', '_');
  return name.find("pod" + uid) != std::string::npos ||
         name.find("pod" + slice) != std::string::npos;
}

/// The pod's folder in a hierarchy, and this process's own in it, empty if unknown.
struct PodFolder {
  std::string folder;
  std::string own;
};

std::optional<PodFolder> pod_below(const std::string& top, const std::string& own_folder) {
  std::vector<std::string> found;
  struct stat own {};
  if (::stat(own_folder.c_str(), &own) == 0) {
    walk(
        top, kDeepest, [&](const std::string& folder) { return is_same_folder(folder, own); },
        found);
    if (!found.empty() && found.front() == top) return PodFolder{top, top};
    if (!found.empty()) return PodFolder{parent_of(found[0]), found[0]};
  }
  const char* const uid = std::getenv("POD_UID");
  if (!uid || *uid == '\0') return std::nullopt;
  found.clear();
  walk(
      top, kDeepest, [&](const std::string& folder) { return is_of_pod(folder, uid); }, found);
  if (found.empty()) return std::nullopt;
  return PodFolder{found.front(), ""};
}

std::uint64_t memory_in(const std::string& folder) {
  for (const char* file : {"/memory.current", "/memory.usage_in_bytes"}) {
    const auto text = read_once(folder + file);
    const auto bytes = value_in(text) ? parse_count(*value_in(text)) : ReadFailure{};
    if (value_in(bytes)) return *value_in(bytes);
  }
  return 0;
}

/// In a container that does not share its processes, its own process is number 1.
bool sees_other_containers() { return ::getpid() != 1; }

std::string not_visible(const std::string& process) {
  return "no process called '" + printable(process, 40) + "' is visible here";
}

/// The name of the executor's folder among those of the pod. If its process is named and would be
/// visible, no other container is accepted: others in the pod may start before it.
Result<std::string> container_in(const PodFolder& pod, const std::string& process) {
  if (!process.empty() && sees_other_containers()) {
    return ReadFailure{not_visible(process) + " yet"};
  }
  std::vector<std::string> names;
  for (const std::string& folder : folders_in(pod.folder)) {
    if (folder != pod.own && memory_in(folder) >= kIdleContainer) names.push_back(base_of(folder));
  }
  if (names.size() == 1) return names.front();
  const std::string count = names.empty() ? "no other container" : "several containers";
  return ReadFailure{count + " of the pod in " + printable(pod.folder) +
                     (process.empty() && !names.empty()
                          ? ": name the executor's process in `sensors.cgroup.process`"
                          : "")};
}

/// The visible processes with this name.
std::vector<std::string> processes_called(const std::string& name, const HostPaths& paths) {
  std::vector<std::string> found;
  for (const std::string& pid : names_in_folder(paths.at("/proc"))) {
    if (!parse_u64(pid)) continue;
    const auto comm = read_once(paths.at("/proc/" + pid + "/comm"));
    if (value_in(comm) && trimmed(*value_in(comm)) == name) found.push_back(pid);
  }
  return found;
}

/// The last part of a process's group path, which names its container's folder.
std::optional<std::string> container_of_process(const std::string& process) {
  if (process.empty()) return std::nullopt;
  const std::vector<std::string> pids = processes_called(process, {});
  if (pids.empty()) return std::nullopt;
  const auto text = read_once("/proc/" + pids.front() + "/cgroup");
  if (!value_in(text)) return std::nullopt;
  const auto lines = parse_proc_cgroup(*value_in(text));
  if (!value_in(lines)) return std::nullopt;
  for (const CgroupLine& line : *value_in(lines)) {
    if (const std::string base = base_of(line.path); !base.empty()) return base;
  }
  return std::nullopt;
}

}  // namespace

Result<ExecutorGroup> find_by_process(const std::string& name, const HostPaths& paths) {
  const std::vector<std::string> pids = processes_called(name, paths);
  if (pids.empty()) {
    return ReadFailure{not_visible(name) +
                       ": the pod must share its processes "
                       "(shareProcessNamespace) and the executor run"};
  }
  // One of several may end meanwhile or be inaccessible: the next one serves as well.
  Result<ExecutorGroup> group = group_of_process(paths, pids.front());
  for (std::size_t i = 1; i < pids.size() && !value_in(group); ++i) {
    group = group_of_process(paths, pids[i]);
  }
  return group;
}

Result<ExecutorGroup> find_in_hierarchy(const std::string& hierarchy, const std::string& process) {
  const CgroupPlaces own = find_cgroups({});
  std::map<std::string, std::string> folders;
  std::optional<std::string> container = container_of_process(process);
  const auto add = [&](const CgroupFinding& finding,
                       const std::string& controller) -> std::optional<ReadFailure> {
    if (!finding.place) return std::nullopt;
    const bool is_v2 = finding.place->version == CgroupVersion::v2;
    if (is_v2 && folders.contains("")) return std::nullopt;
    const std::string own_folder = folders_of(*finding.place).front();
    std::string top = hierarchy;
    if (const std::string below = hierarchy + "/" + base_of(finding.place->mount);
        !is_v2 || ::access((hierarchy + "/cgroup.procs").c_str(), F_OK) != 0) {
      top = below;
    }
    const auto pod = pod_below(top, own_folder);
    if (!pod) {
      return ReadFailure{"this process's own cgroup is not below " + printable(top) +
                         ", and there is none of the pod $POD_UID"};
    }
    const std::string key = is_v2 ? "" : controller;
    // An undivided hierarchy: everyone shares its top.
    if (pod->own == top) {
      folders.emplace(key, top);
      return std::nullopt;
    }
    if (!container) {
      const auto name = container_in(*pod, process);
      if (!value_in(name)) return failure_in(name);
      container = *value_in(name);
    }
    folders.emplace(key, pod->folder + "/" + *container);
    return std::nullopt;
  };
  if (auto failure = add(own.memory, "memory")) return *failure;
  if (auto failure = add(own.cpu, "cpu")) return *failure;
  if (auto failure = add(own.pids, "pids")) return *failure;
  return open_group(GroupSource::hostpath, "", folders);
}

Result<ExecutorGroup> read_podinfo(const std::string& folder) {
  ExecutorGroup group;
  group.source = GroupSource::downward;
  std::size_t found = 0;
  for (const char* file : {"memory_limit", "cpu_limit"}) {
    const std::string path = folder + "/" + file;
    const auto text = read_once(path);
    if (!value_in(text)) continue;
    const auto number = parse_count(*value_in(text));
    if (!value_in(number)) return about(printable(path), failure_in(number));
    ++found;
    if (*value_in(number) == 0) continue;
    const bool is_memory = std::string_view(file) == "memory_limit";
    if (is_memory) group.memory_limit = Bytes{*value_in(number)};
    if (!is_memory) group.cpus = static_cast<double>(*value_in(number)) / 1000;
  }
  if (found > 0) return group;
  return ReadFailure{"no file memory_limit or cpu_limit in " + printable(folder)};
}

}  // namespace sluice
