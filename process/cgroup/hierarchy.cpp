#include "process/cgroup/hierarchy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/errno_text.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

bool holds_this_process(const std::string& folder) {
  const std::string all = "\n" + read_group_file(folder + "/cgroup.procs");
  return all.find("\n" + std::to_string(getpid()) + "\n") != std::string::npos;
}

/// The path that /proc names need not exist below the mount: a container without a cgroup namespace
/// mounts only its own part of the hierarchy.
bool settle_path(GroupHierarchy& hierarchy) {
  if (hierarchy.path == "/") hierarchy.path.clear();
  if (holds_this_process(hierarchy.folder())) return true;
  hierarchy.path.clear();
  return holds_this_process(hierarchy.folder());
}

/// `controller` is empty for v2.
void add_found(const std::string& controller, const CgroupFinding& finding, FoundHierarchies& all) {
  const std::string prefix = controller.empty() ? "" : controller + ": ";
  if (!finding.place) {
    if (!finding.problem.empty()) all.problems.push_back(prefix + finding.problem);
    return;
  }
  const CgroupPlace& place = *finding.place;
  GroupHierarchy hierarchy{place.version, controller, place.mount, place.path};
  if (settle_path(hierarchy)) {
    all.found.push_back(std::move(hierarchy));
  } else {
    all.problems.push_back(prefix + "this process's group is not below " + place.mount);
  }
}

}  // namespace

FoundHierarchies find_hierarchies() {
  const CgroupPlaces places = find_cgroups(HostPaths{});
  FoundHierarchies all;
  // The freezer first: processes that it holds must thaw before the other groups can be emptied.
  const std::pair<const char*, const CgroupFinding&> controllers[] = {{"freezer", places.freezer},
                                                                      {"memory", places.memory},
                                                                      {"cpuacct", places.cpuacct},
                                                                      {"blkio", places.blkio}};
  for (const auto& [controller, finding] : controllers) {
    // A controller without a hierarchy of its own is found in that of v2.
    if (finding != places.unified) add_found(controller, finding, all);
  }
  add_found("", places.unified, all);
  return all;
}

std::string make_group(const GroupHierarchy& hierarchy, const std::string& name) {
  const std::string folder = hierarchy.folder() + "/" + name;
  if (mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
  return errno_text(folder);
}

}  // namespace sluice
