#pragma once

#include <string>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"

namespace sluice {

/// One cgroup hierarchy and this process's own group in it.
struct GroupHierarchy {
  CgroupVersion version = CgroupVersion::v1;
  std::string controller;  ///< "memory", "cpuacct"… of v1; empty for v2.
  std::string mount;       ///< Mount point.
  std::string path;        ///< This process's group below the mount: "" for the root, or "/a/b".

  std::string folder() const { return mount + path; }
};

/// The v1 hierarchies of freezer, memory, cpuacct and blkio on this host, in this order, then its
/// v2 hierarchy.
struct FoundHierarchies {
  std::vector<GroupHierarchy> found;
  std::vector<std::string> problems;  ///< One line each.
};
FoundHierarchies find_hierarchies();

/// Makes the group `name` ("sluice.7" or "sluice.7/job.1") below the group of `hierarchy`, even if
/// this process has moved to another group since. Returns "" or the reason for the failure.
std::string make_group(const GroupHierarchy& hierarchy, const std::string& name);

}  // namespace sluice
