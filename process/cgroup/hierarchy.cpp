#include "process/cgroup/hierarchy.h"

#include <libcgroup.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/errno_text.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

using Text = std::unique_ptr<char, decltype(&std::free)>;

struct FreeGroup {
  void operator()(cgroup* group) const { cgroup_free(&group); }
};
using Group = std::unique_ptr<cgroup, FreeGroup>;

/// Translates an error number of libcgroup, which has error texts of its own.
std::string error_of(int code) {
  return code == ECGOTHER ? std::strerror(cgroup_get_last_errno()) : cgroup_strerror(code);
}

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

void find_v1(const char* controller, FoundHierarchies& all) {
  char* path = nullptr;
  char* mount = nullptr;
  if (cgroup_get_subsys_mount_point(controller, &mount) != 0) return;
  const Text mount_holder(mount, std::free);
  // v2 lists its controllers in every group and has one hierarchy for all of them.
  if (access((std::string(mount) + "/cgroup.controllers").c_str(), F_OK) == 0) return;
  const int error = cgroup_get_current_controller_path(getpid(), controller, &path);
  const Text path_holder(path, std::free);
  if (error != 0) {
    all.problems.push_back(std::string(controller) + ": " + error_of(error));
    return;
  }
  GroupHierarchy hierarchy{CgroupVersion::v1, controller, mount, path};
  if (settle_path(hierarchy)) {
    all.found.push_back(std::move(hierarchy));
  } else {
    all.problems.push_back(std::string(controller) + ": this process's group is not below " +
                           hierarchy.mount);
  }
}

void find_v2(FoundHierarchies& all) {
  const CgroupFinding unified = find_cgroups(HostPaths{}).unified;
  if (!unified.is_on_host()) return;
  if (!unified.place) {
    all.problems.push_back(unified.problem);
    return;
  }
  GroupHierarchy hierarchy{CgroupVersion::v2, "", unified.place->mount, unified.place->path};
  if (settle_path(hierarchy)) all.found.push_back(std::move(hierarchy));
}

Group group_named(const GroupHierarchy& hierarchy, const std::string& name) {
  Group group(cgroup_new_cgroup((hierarchy.path + "/" + name).c_str()));
  if (group) cgroup_add_controller(group.get(), hierarchy.controller.c_str());
  return group;
}

}  // namespace

FoundHierarchies find_hierarchies() {
  FoundHierarchies all;
  if (const int error = cgroup_init(); error != 0) {
    all.problems.push_back(error_of(error));
  } else {
    // The freezer first: processes that it holds must thaw before the other groups can be emptied.
    for (const char* controller : {"freezer", "memory", "cpuacct", "blkio"}) {
      find_v1(controller, all);
    }
  }
  find_v2(all);
  return all;
}

std::string make_group(const GroupHierarchy& hierarchy, const std::string& name) {
  const std::string folder = hierarchy.folder() + "/" + name;
  if (hierarchy.version == CgroupVersion::v2) {
    // libcgroup would enable controllers all the way down from the root, which is not ours.
    if (mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
    return errno_text(folder);
  }
  const Group group = group_named(hierarchy, name);
  if (!group) return folder + ": out of memory";
  const int error = cgroup_create_cgroup(group.get(), 1);
  return error == 0 ? std::string() : folder + ": " + error_of(error);
}

bool remove_group(const GroupHierarchy& hierarchy, const std::string& name) {
  const std::string folder = hierarchy.folder() + "/" + name;
  if (hierarchy.version == CgroupVersion::v1 && groups_below(folder).empty()) {
    const Group group = group_named(hierarchy, name);
    const int flags = CGFLAG_DELETE_EMPTY_ONLY | CGFLAG_DELETE_IGNORE_MIGRATION;
    if (group) cgroup_delete_cgroup_ext(group.get(), flags);
  }
  return remove_group_tree(folder);
}

}  // namespace sluice
