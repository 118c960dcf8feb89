#pragma once

#include <string>
#include <vector>

#include "sensors/cgroupfs.h"

namespace sluice {

/// One cgroup hierarchy and this process's own group in it.
struct GroupHierarchy {
  CgroupVersion version = CgroupVersion::v1;
  std::string controller;  ///< "memory", "cpuacct"… of v1; empty for v2.
  std::string mount;       ///< Where it is mounted.
  std::string path;        ///< This process's group below that: empty for the root, or "/a/b".

  std::string folder() const { return mount + path; }
};

/// What this host has of freezer, memory, cpuacct and blkio under v1, in this order, and its v2
/// hierarchy.
struct FoundHierarchies {
  std::vector<GroupHierarchy> found;
  std::vector<std::string> problems;  ///< One line each.
};
FoundHierarchies find_hierarchies();

/// Makes the group `name` ("sluice.7" or "sluice.7/job.1") below this process's own one, not below
/// that of later. Empty, or why it could not be made.
std::string make_group(const GroupHierarchy& hierarchy, const std::string& name);

/// Removes an empty group that was made so; false if it could not be.
bool remove_group(const GroupHierarchy& hierarchy, const std::string& name);

}  // namespace sluice
