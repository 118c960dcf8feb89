// Clean-up after a Sluice that died together with its guard.
#include "process/cgroup/left_behind.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process/cgroup/root.h"
#include "process/cgroup/tree.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;

TEST(HomeName, IsANumberOrTwo) {
  for (const char* name : {"sluice.7", "sluice.29999", "sluice.7.2"}) {
    EXPECT_TRUE(is_home_name(name)) << name;
  }
  for (const char* name : {"sluice", "sluice.", "sluice.service", "sluice.7.", "sluice.7.service",
                           "sluice.7.2.1", "xsluice.7", "sluice.-7"}) {
    EXPECT_FALSE(is_home_name(name)) << name;
  }
}

/// A v2 group that held only Sluice, which was killed together with its guard. Uses plain files,
/// since a v2 controller may be unavailable.
TEST(LeftBehind, InAGroupThatItHadToItselfGivesItsControllersBack) {
  const fs::path top = fs::temp_directory_path() / ("sluice-left-" + std::to_string(getpid()));
  const fs::path group = top / "slice" / "ci";
  fs::create_directories(group / "sluice.7" / "self");
  const auto write = [&](const char* name, const char* text) {
    std::ofstream(group / name) << text;
  };
  write("cgroup.type", "domain\n");
  write("cgroup.controllers", "cpu io memory\n");
  write("cgroup.subtree_control", "");
  EXPECT_TRUE(find_left_behind(top, 1).empty()) << "it lies deeper";
  EXPECT_EQ(find_left_behind(top, 3), std::vector<std::string>{group / "sluice.7"});
  const CleanedUp cleaned = remove_left_behind(top, 3);
  EXPECT_EQ(cleaned.removed, std::vector<std::string>{group / "sluice.7"});
  EXPECT_TRUE(cleaned.stuck.empty());
  EXPECT_FALSE(fs::exists(group / "sluice.7"));
  EXPECT_EQ(read_group_file(group / "cgroup.subtree_control"), "-memory -io ");
  fs::remove_all(top);
}

TEST(LeftBehind, WhereItHadNotTheGroupToItselfChangesNoControllers) {
  const fs::path top = fs::temp_directory_path() / ("sluice-kept-" + std::to_string(getpid()));
  fs::create_directories(top / "sluice.7" / "job.1");
  std::ofstream(top / "cgroup.type") << "domain\n";
  std::ofstream(top / "cgroup.controllers") << "memory\n";
  std::ofstream(top / "cgroup.subtree_control") << "memory\n";
  EXPECT_EQ(remove_left_behind(top, 1).removed.size(), 1u);
  EXPECT_EQ(read_group_file(top / "cgroup.subtree_control"), "memory\n");
  fs::remove_all(top);
}

}  // namespace
}  // namespace sluice::testing
