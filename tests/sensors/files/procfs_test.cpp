#include "sensors/files/procfs.h"

#include <gtest/gtest.h>

#include <string>

#include "base/parse.h"

namespace sluice {
namespace {

using Controllers = std::vector<std::string>;

TEST(ParseNumbers, TakeWholeWordsOnly) {
  EXPECT_EQ(parse_u64("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", "-1", "+1", "1x", " 1", "18446744073709551616", "0x10", "1.5"}) {
    EXPECT_FALSE(parse_u64(bad)) << bad;
  }
  EXPECT_EQ(parse_number("-2.5"), -2.5);
  for (const char* bad : {"", "inf", "nan", "-inf", "1e999", "1,5", "1.5x"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(NumberOf, MatchesTheWholeKey) {
  const std::string text = "total_inactive_file 7\ninactive_file_x 8\ninactive_file 9\n";
  EXPECT_EQ(number_of(text, "inactive_file"), 9u);
  EXPECT_EQ(number_of(text, "active_file"), std::nullopt);
  EXPECT_EQ(number_of("oom_kill\n", "oom_kill"), std::nullopt);
}

TEST(ParseLoadavg, ReadsLoadAndTasks) {
  const auto load = parse_loadavg("0.25 0.24 0.10 1/92 6668\n");
  ASSERT_TRUE(value_in(load));
  EXPECT_EQ(value_in(load)->one, 0.25);
  EXPECT_EQ(value_in(load)->runnable, 1u);
  EXPECT_EQ(value_in(load)->tasks, 92u);
}

TEST(ParseLoadavg, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "\n", "0.25", "0.25 0.24 0.10", "0.25 0.24 0.10 92 6668", "-1.0 0 0 1/92 1",
        "nan 0 0 1/92 1", "0.1 0.1 0.1 1/ 2", "0.1 0.1 0.1 1/18446744073709551616 2"}) {
    EXPECT_FALSE(value_in(parse_loadavg(bad))) << bad;
  }
}

TEST(ParseMeminfo, ReadsTotalAndAvailable) {
  const auto memory = parse_meminfo("MemTotal:   100 kB\nMemFree: 3 kB\nMemAvailable:  60 kB\n");
  ASSERT_TRUE(value_in(memory));
  EXPECT_EQ(value_in(memory)->total.value, 102400u);
  EXPECT_EQ(value_in(memory)->available.value, 61440u);
}

TEST(ParseMeminfo, NeverTakesAMissingLineForANumber) {
  struct {
    const char* text;
    const char* what;
  } const rows[] = {
      {"", "no MemTotal"},
      {"MemTotal: 100 kB\nMemFree: 50 kB\n", "no MemAvailable"},
      {"MemAvailable: 100 kB\n", "no MemTotal"},
      {"MemTotal: 0 kB\nMemAvailable: 0 kB\n", "no MemTotal"},
      {"MemTotal: 100\nMemAvailable: 1 kB\n", "no MemTotal"},
      {"MemTotal: 100 kB\nMemAvailable: -1 kB\n", "no MemAvailable"},
      {"MemTotal: 100 kB\nMemAvail", "no MemAvailable"},
      {"MemTotal: 18446744073709551615 kB\nMemAvailable: 1 kB\n", "no MemTotal"},
  };
  for (const auto& row : rows) {
    const auto memory = parse_meminfo(row.text);
    ASSERT_FALSE(value_in(memory)) << row.text;
    EXPECT_EQ(failure_in(memory).what, row.what) << row.text;
  }
}

TEST(ParsePsi, ReadsBothLines) {
  const auto psi = parse_psi(
      "some avg10=1.50 avg60=2.00 avg300=0.30 total=12345\n"
      "full avg10=0.50 avg60=1.00 avg300=0.10 total=678\n");
  ASSERT_TRUE(value_in(psi));
  EXPECT_EQ(value_in(psi)->some.avg10, 1.5);
  EXPECT_EQ(value_in(psi)->some.total, 12345u);
  ASSERT_TRUE(value_in(psi)->full);
  EXPECT_EQ(value_in(psi)->full->avg60, 1.0);
}

TEST(ParsePsi, FullMayBeMissingAsOnOldKernels) {
  const auto psi = parse_psi("some avg10=1.50 avg60=2.00 avg300=0.30 total=1\n");
  ASSERT_TRUE(value_in(psi));
  EXPECT_FALSE(value_in(psi)->full);
}

TEST(ParsePsi, RefusesWhatIsNone) {
  const char* const kSome = "some avg10=1.50 avg60=2.00 avg300=0.30 total=1\n";
  for (const std::string& bad :
       {std::string(), std::string("full avg10=0 avg60=0 avg300=0 total=0\n"),
        std::string("some avg10=1.50 avg60=2.00 avg300=0.30\n"),
        std::string("some avg10=nan avg60=2.00 avg300=0.30 total=1\n"),
        std::string("some avg10=-1 avg60=2.00 avg300=0.30 total=1\n"),
        std::string("some avg10=1 avg60=2 avg300=3 total=18446744073709551616\n"),
        kSome + std::string("full avg10=0.5 avg6")}) {
    EXPECT_FALSE(value_in(parse_psi(bad))) << bad;
  }
}

TEST(ParseProcCgroup, KeepsEveryLineWithItsPathAsItIs) {
  const auto lines = parse_proc_cgroup(
      "9:name=systemd:/\n4:cpu,cpuacct:/a b/c:d\n1::/odd\n0::/x.slice/y.service (deleted)\n");
  ASSERT_TRUE(value_in(lines));
  const auto& all = *value_in(lines);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].controllers, Controllers{"name=systemd"});
  EXPECT_EQ(all[1].controllers, (Controllers{"cpu", "cpuacct"}));
  EXPECT_EQ(all[1].path, "/a b/c:d");
  EXPECT_EQ(all[3].hierarchy, 0);
  EXPECT_TRUE(all[3].controllers.empty());
  EXPECT_EQ(all[3].path, "/x.slice/y.service (deleted)");
}

TEST(ParseProcCgroup, OneBadLineIsAFailureAsItMayNameTheLimit) {
  for (const char* bad : {"", "0::\n", "0:/x\n", "x::/a\n", "-1::/a\n", "0::relative\n",
                          "4:memory:/a\n3:cpu\n", "99999999999:memory:/a\n"}) {
    EXPECT_FALSE(value_in(parse_proc_cgroup(bad))) << bad;
  }
}

TEST(ParseCgroupMounts, FindsCgroupsAndUndoesEscapes) {
  const auto mounts = parse_cgroup_mounts(
      "22 27 0:21 / /proc rw - proc proc rw\n"
      "32 31 0:29 /kube\\040pod /sys/fs/cgroup/cpu\\134x rw shared:1 master:2 - cgroup none "
      "rw,cpu\n"
      "41 31 0:38 / /unified rw - cgroup2 cgroup2 rw\n");
  ASSERT_TRUE(value_in(mounts));
  const auto& all = *value_in(mounts);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].root, "/kube pod");
  EXPECT_EQ(all[0].point, "/sys/fs/cgroup/cpu\\x");
  EXPECT_EQ(all[0].options, "rw,cpu");
  EXPECT_EQ(all[1].type, "cgroup2");
}

TEST(ParseCgroupMounts, TellsNoCgroupsFromNonsense) {
  const auto none = parse_cgroup_mounts("22 27 0:21 / /proc rw - proc proc rw\n");
  ASSERT_TRUE(value_in(none));
  EXPECT_TRUE(value_in(none)->empty());
  for (const char* bad : {"", "x", "1 2 3\n", "41 31 0:38 / /unified rw shared:1\n",
                          "41 31 0:38 / /unified rw -\n"}) {
    EXPECT_FALSE(value_in(parse_cgroup_mounts(bad))) << bad;
  }
}

TEST(CountCpus, AddsUpRangesAndRefusesNonsense) {
  EXPECT_EQ(count_cpus("0-3,7\n"), 5);
  EXPECT_EQ(count_cpus("0"), 1);
  for (const char* bad : {"", "\n", "3-1", "a-b", "0-", "-3", "0,,1", "0-99999999999", "1-2-3"}) {
    EXPECT_FALSE(count_cpus(bad)) << bad;
  }
}

TEST(ParseCpusAllowed, FindsItsLineAmongOthers) {
  EXPECT_EQ(parse_cpus_allowed("Cpus_allowed:\tff\nCpus_allowed_list:\t0-1,4\nx: 1\n"), 3);
  EXPECT_EQ(parse_cpus_allowed("Cpus_allowed:\tff\n"), std::nullopt);
}

}  // namespace
}  // namespace sluice
