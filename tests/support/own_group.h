#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "process/cgroup/hierarchy.h"
#include "process/cgroup/tree.h"
#include "runner_helpers.h"

namespace sluice::testing {

/// The groups of this process in which `way` creates its groups.
inline std::vector<std::string> tops(Runner::Groups way) {
  std::vector<std::string> folders;
  for (const GroupHierarchy& each : find_hierarchies().found) {
    const bool v2 = each.version == CgroupVersion::v2;
    if (v2 == (way == Runner::Groups::v2)) folders.push_back(each.folder());
  }
  return folders;
}

/// Moves this process into a group of its own in each of these hierarchies, in which any user may
/// create groups. Two levels down, where no other test that starts meanwhile removes leftovers.
/// Where no group can be created, the process stays in place.
class OwnGroup {
 public:
  explicit OwnGroup(std::vector<std::string> tops) : tops_(std::move(tops)) {
    for (const std::string& top : tops_) {
      std::error_code failed;
      std::filesystem::create_directories(folder(top), failed);
      if (failed) continue;
      std::filesystem::permissions(folder(top), std::filesystem::perms::all);
      std::filesystem::permissions(folder(top) + "/cgroup.procs", std::filesystem::perms::all);
      write_group_file(folder(top) + "/cgroup.procs", std::to_string(getpid()));
    }
  }
  ~OwnGroup() {
    for (const std::string& top : tops_) {
      write_group_file(top + "/cgroup.procs", std::to_string(getpid()));
      EXPECT_TRUE(comes_true([&] { return remove_group(outer(top)); })) << top;
    }
  }
  OwnGroup(const OwnGroup&) = delete;
  OwnGroup& operator=(const OwnGroup&) = delete;

 private:
  static std::string outer(const std::string& top) {
    return top + "/own-" + std::to_string(getpid());
  }
  static std::string folder(const std::string& top) { return outer(top) + "/inner"; }

  std::vector<std::string> tops_;
};

}  // namespace sluice::testing
