#include "sensors/cgroup/cgroupfs.h"

#include <gtest/gtest.h>

#include "host_trees.h"

namespace sluice {
namespace {

CgroupPlaces places(std::string_view cgroup, std::string_view mountinfo) {
  const auto lines = parse_proc_cgroup(cgroup);
  const auto mounts = parse_cgroup_mounts(mountinfo);
  if (!value_in(lines) || !value_in(mounts)) throw std::runtime_error("bad test data");
  return find_cgroups(*value_in(lines), *value_in(mounts));
}

constexpr std::string_view kV2Mount = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

CgroupPlace v1(std::string mount, std::string path) {
  return {CgroupVersion::v1, std::move(mount), std::move(path)};
}

TEST(FindCgroups, PutsEveryControllerInTheOneHierarchyOfV2) {
  const auto found = places("0::/a/b\n", kV2Mount);
  const CgroupPlace expected{CgroupVersion::v2, "/sys/fs/cgroup", "/a/b"};
  EXPECT_EQ(found.memory.place, expected);
  EXPECT_EQ(found.cpu.place, expected);
  EXPECT_EQ(found.pids.place, expected);
  EXPECT_EQ(found.unified.place, expected);
}

TEST(FindCgroups, FindsEachControllerOfAHybridHostOnItsOwn) {
  const auto found = find_cgroups(host_tree("hybrid"));
  EXPECT_EQ(found.memory.place, v1("/sys/fs/cgroup/memory", "/runner/e2f9"));
  EXPECT_EQ(found.cpu.place, v1("/sys/fs/cgroup/cpu", "/"));
  EXPECT_EQ(found.cpuacct.place, v1("/sys/fs/cgroup/cpuacct", "/"));
  EXPECT_EQ(found.pids.place, v1("/sys/fs/cgroup/pids", "/"));
  EXPECT_EQ(found.unified.place,
            (CgroupPlace{CgroupVersion::v2, "/sys/fs/cgroup/unified", "/runner"}));
}

TEST(FindCgroups, FindsWhatFreezesAndWhatCountsBlocksOfV1) {
  const auto found = places("5:blkio:/a\n4:freezer:/b\n",
                            "1 0 0:1 / /blkio rw - cgroup cgroup rw,blkio\n"
                            "2 0 0:2 / /freezer rw - cgroup cgroup rw,freezer\n");
  EXPECT_EQ(found.blkio.place, v1("/blkio", "/a"));
  EXPECT_EQ(found.freezer.place, v1("/freezer", "/b"));
  EXPECT_FALSE(found.memory.is_on_host());
}

TEST(FindCgroups, CutsOffThePathOfWhichTheMountShowsAPart) {
  const auto found = find_cgroups(host_tree("pod_v1"));
  EXPECT_EQ(found.memory.place, v1("/sys/fs/cgroup/memory", "/"));
  EXPECT_EQ(found.cpu.place, v1("/sys/fs/cgroup/cpu,cpuacct", "/"));
  EXPECT_FALSE(found.unified.is_on_host());
  const auto below =
      places("3:memory:/pod/x/child\n", "1 0 0:1 /pod/x /m rw - cgroup cgroup rw,memory\n");
  EXPECT_EQ(below.memory.place, v1("/m", "/child"));
  const auto sibling =
      places("3:memory:/pod/xy\n", "1 0 0:1 /pod/x /m rw - cgroup cgroup rw,memory\n");
  EXPECT_FALSE(sibling.memory.place);
  EXPECT_EQ(sibling.memory.problem, "cgroup /pod/xy is not below any mount seen here");
}

TEST(FindCgroups, TakesTheMountThatShowsMost) {
  const auto found = places("3:memory:/pod/x\n",
                            "1 0 0:1 /pod/x /part rw - cgroup cgroup rw,memory\n"
                            "2 0 0:1 / /whole rw - cgroup cgroup rw,memory\n"
                            "3 0 0:1 /pod /some rw - cgroup cgroup rw,memory\n");
  EXPECT_EQ(found.memory.place, v1("/whole", "/pod/x"));
}

TEST(FindCgroups, TellsAHostWithoutCgroupsFromOneWhereTheyCannotBeFound) {
  EXPECT_FALSE(find_cgroups(host_tree("bare")).memory.is_on_host());
  const auto unmounted = places("3:memory:/a\n", "22 27 0:21 / /proc rw - proc proc rw\n");
  EXPECT_FALSE(unmounted.memory.is_on_host());
  const auto outside = places("0::/../other\n", kV2Mount);
  EXPECT_TRUE(outside.memory.is_on_host());
  EXPECT_FALSE(outside.memory.place);
  const auto garbage = find_cgroups(host_tree("garbage"));
  EXPECT_TRUE(garbage.memory.is_on_host());
  EXPECT_NE(garbage.memory.problem.find("/proc/self/cgroup"), std::string::npos);
}

TEST(FindCgroups, IgnoresAMountOfAnAncestorOfTheNamespaceRoot) {
  const auto found = find_cgroups(host_tree("pod_v2"));
  EXPECT_EQ(found.memory.place, (CgroupPlace{CgroupVersion::v2, "/sys/fs/cgroup", "/"}));
}

TEST(FoldersOf, LeadFromTheCgroupUpToTheMount) {
  EXPECT_EQ(folders_of({CgroupVersion::v2, "/m", "/a/b c"}),
            (std::vector<std::string>{"/m/a/b c", "/m/a", "/m"}));
  EXPECT_EQ(folders_of({CgroupVersion::v2, "/m", "/"}), std::vector<std::string>{"/m"});
}

TEST(FoldersWith, LeavesOutWhereTheControllerIsOffAndFailsWhereTheCgroupIsGone) {
  const TemporaryTree tree{{"/m/a/pids.max", "1"}, {"/m/a/b/cgroup.procs", ""}};
  const auto found =
      folders_with(tree.paths(), CgroupPlace{CgroupVersion::v2, "/m", "/a/b"}, "pids.max");
  ASSERT_TRUE(value_in(found));
  EXPECT_EQ(*value_in(found), std::vector<std::string>{"/m/a"});
  const auto gone =
      folders_with(tree.paths(), CgroupPlace{CgroupVersion::v2, "/m", "/x"}, "pids.max");
  ASSERT_FALSE(value_in(gone));
  EXPECT_EQ(failure_in(gone).what, "/m/x: No such file or directory");
}

TEST(ParseLimit, TellsUnlimitedFromNumbersAndNonsense) {
  EXPECT_EQ(*value_in(parse_limit("max\n")), std::nullopt);
  EXPECT_EQ(*value_in(parse_limit("0\n")), 0u);
  EXPECT_EQ(*value_in(parse_limit("9223372036854771712\n")), 9223372036854771712u);
  for (const char* bad : {"", "foo", "-1", "maximum", "18446744073709551616", "1 2"}) {
    EXPECT_FALSE(value_in(parse_limit(bad))) << bad;
  }
}

TEST(ParseCpuQuota, GivesFractionsOfCpus) {
  EXPECT_EQ(*value_in(parse_cpu_max("max 100000\n")), std::nullopt);
  EXPECT_EQ(*value_in(parse_cpu_max("150000 100000\n")), 1.5);
  EXPECT_EQ(*value_in(parse_cfs_quota("-1\n", "100000\n")), std::nullopt);
  EXPECT_EQ(*value_in(parse_cfs_quota("25000\n", "100000\n")), 0.25);
  for (const char* bad : {"", "max", "150000", "0 100000", "150000 0", "-5 100", "x y"}) {
    EXPECT_FALSE(value_in(parse_cpu_max(bad))) << bad;
  }
  EXPECT_FALSE(value_in(parse_cfs_quota("-2", "100000")));
  EXPECT_FALSE(value_in(parse_cfs_quota("", "")));
}

TEST(ParseThrottleCounts, NeedsBothNumbers) {
  EXPECT_EQ(parse_throttle_counts("nr_periods 10\nnr_throttled 3\n")->throttled, 3u);
  EXPECT_FALSE(parse_throttle_counts("usage_usec 1\n"));
  EXPECT_FALSE(parse_throttle_counts("nr_periods 10\n"));
}

TEST(LookUpQuota, TakesTheLeastAlongThePath) {
  const auto quota = [](const char* kind) {
    const HostPaths paths = host_tree(kind);
    return find_quota(paths, find_cgroups(paths));
  };
  EXPECT_EQ(*value_in(quota("nested")), 0.5);
  EXPECT_EQ(*value_in(quota("service")), 1.5);
  EXPECT_EQ(*value_in(quota("pod_v1")), 2.0);
  EXPECT_EQ(*value_in(quota("v2")), std::nullopt);
  EXPECT_EQ(*value_in(quota("bare")), std::nullopt);
  EXPECT_FALSE(value_in(quota("garbage_cgroup")));
}

}  // namespace
}  // namespace sluice
