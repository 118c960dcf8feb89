// What only cgroups provide for a job, with real ones; skipped where they cannot be created.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "few_descriptors.h"
#include "own_group.h"
#include "process/cgroup/numbers.h"
#include "process/cgroup/root.h"
#include "process/cgroup/tree.h"
#include "runner_helpers.h"

namespace sluice::testing {
namespace {
namespace fs = std::filesystem;

class RunnerCgroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (runner_.isolation_description().find("memory") == std::string::npos ||
        runner_.isolation_description().starts_with("process groups")) {
      GTEST_SKIP() << "no memory cgroup may be made here: " << runner_.isolation_description();
    }
  }

  RunEnd run(const Command& command) {
    const auto end = end_of(runner_, started(runner_, command));
    EXPECT_TRUE(end) << "the job did not end";
    return end.value_or(RunEnd{});
  }

  Runner runner_;
};

std::string allocate(int mebibytes) {
  return "perl -e '$x = \"a\" x (" + std::to_string(mebibytes) + " << 20)'";
}

TEST_F(RunnerCgroupTest, AJobIsInAGroupOfItsOwn) {
  const pid_t job = started(runner_, shell("sleep 600"));
  std::ifstream file("/proc/" + std::to_string(job) + "/cgroup");
  const std::string groups(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(groups.find("/sluice." + std::to_string(getpid()) + "/job."), std::string::npos)
      << groups;
  EXPECT_EQ(runner_.measure(job).source, JobUsage::Source::cgroup);
  runner_.end(job);
  EXPECT_TRUE(end_of(runner_, job));
}

TEST_F(RunnerCgroupTest, AJobThatRunsIsReadAgainAndOneThatSleepsKeepsItsFigures) {
  Lifeline lifeline;
  Command command = shell("echo up; sleep 600");
  command.output = lifeline.writer();
  const pid_t sleeps = started(runner_, command);
  ASSERT_EQ(lifeline.line(), "up");
  const pid_t burns = started(runner_, shell("while :; do :; done"));
  EXPECT_TRUE(
      comes_true([&] { return runner_.measure(burns).cpu >= std::chrono::milliseconds(50); }));
  const JobUsage before = runner_.measure(sleeps), after = runner_.measure(sleeps);
  EXPECT_EQ(after.source, JobUsage::Source::cgroup);
  EXPECT_EQ(after.memory, before.memory);
  EXPECT_GT(after.memory, Bytes{0});
  for (const pid_t job : {sleeps, burns}) runner_.end(job);
}

TEST_F(RunnerCgroupTest, ThePeakIsThatOfAllProcessesTogether) {
  Lifeline lifeline;
  const std::string one =
      "perl -e '$x = \"a\" x (60 << 20); $| = 1; print \"up\\n\"; sleep 600' & ";
  Command command = shell(one + one + "wait");
  command.output = lifeline.writer();
  const pid_t job = started(runner_, command);
  ASSERT_EQ(lifeline.line(), "up");
  ASSERT_EQ(lifeline.line(), "up");
  const JobUsage usage = runner_.measure(job);
  EXPECT_GT(usage.memory.value, 120u << 20);
  EXPECT_LT(usage.memory.value, 300u << 20);
  runner_.end(job);
  const auto end = end_of(runner_, job);
  ASSERT_TRUE(end);
  EXPECT_GE(end->usage.peak_memory, usage.memory);
}

TEST_F(RunnerCgroupTest, PageCacheIsNotWorkingSet) {
  const std::string file = fs::temp_directory_path() / ("sluice-cache-" + std::to_string(getpid()));
  const std::string write = "dd if=/dev/zero of=" + file + " bs=1M count=200 2>/dev/null";
  const RunEnd end = run(shell(write + "; sync " + file + "; exit 0"));
  fs::remove(file);
  EXPECT_LT(end.usage.peak_memory.value, 100u << 20);
  ASSERT_TRUE(end.usage.written);
  EXPECT_GE(end.usage.written->value, 190u << 20);
}

TEST_F(RunnerCgroupTest, AnOomKilledChildOfAShellIsToldAsThat) {
  Command command = shell(allocate(300) + "; exit 1");
  command.memory_max = Bytes{96u << 20};
  const RunEnd end = run(command);
  EXPECT_TRUE(end.oom_killed);
  EXPECT_GE(end.usage.oom_kills, 1u);
  EXPECT_FALSE(end.ok());
  EXPECT_TRUE(end.sentence().starts_with("killed for lack of memory at ")) << end.sentence();
  EXPECT_LE(end.usage.peak_memory.value, 96u << 20);
}

TEST_F(RunnerCgroupTest, WhatIsLeftOfAnOomKilledJobDoesNotGoOn) {
  Command command = shell(allocate(300) + "; exec sleep 600");
  command.memory_max = Bytes{96u << 20};
  const pid_t job = started(runner_, command);
  std::optional<RunEnd> end;
  EXPECT_TRUE(comes_true([&] {
    runner_.measure(job);
    for (RunEnd& each : runner_.reap()) end = std::move(each);
    return end.has_value();
  }));
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->oom_killed);
}

TEST_F(RunnerCgroupTest, AJobWhoseLimitCannotBeSetForLackOfDescriptorsCanBeStartedLater) {
  Command command = shell("true");
  command.memory_max = Bytes{96u << 20};
  const auto refused = [&] {
    const FewDescriptors few(3);
    return runner_.start(command);
  }();
  ASSERT_TRUE(std::holds_alternative<std::string>(refused));
  EXPECT_NE(std::get<std::string>(refused).find("memory cannot be limited"), std::string::npos)
      << std::get<std::string>(refused);
  EXPECT_EQ(runner_.start_error(), EMFILE);
  EXPECT_TRUE(run(command).ok());
}

TEST(RunnerLimits, AJobThatCannotBeKilledAtItsLimitIsNotStarted) {
  Runner runner(Runner::Groups::off);
  Command command = shell("true");
  command.memory_max = Bytes{96u << 20};
  const auto started = runner.start(command);
  ASSERT_TRUE(std::holds_alternative<std::string>(started));
  EXPECT_EQ(std::get<std::string>(started),
            "not started: its memory cannot be limited (memory.enforce: max): process groups "
            "and /proc: cgroups are off");
  EXPECT_EQ(runner.start_error(), 0);
  EXPECT_TRUE(runner.running().empty());
}

TEST(RunnerLimits, AJobThatCannotBeSlowedDownRunsAndItIsSaidOnce) {
  Runner runner(Runner::Groups::off);
  std::vector<std::string> said;
  Command command = shell("true");
  command.memory_high = Bytes{96u << 20};
  command.warn = [&](const std::string& warning) { said.push_back(warning); };
  EXPECT_TRUE(end_of(runner, started(runner, command)));
  EXPECT_TRUE(end_of(runner, started(runner, command)));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("cgroups are off"), std::string::npos) << said[0];
}

TEST_F(RunnerCgroupTest, AKillThatIsNotTheKernelsIsNotForWantOfMemory) {
  const RunEnd end = run(shell("kill -9 $$"));
  EXPECT_FALSE(end.oom_killed);
  EXPECT_EQ(end.sentence(), "killed by signal 9 (Killed)");
}

std::vector<std::string> homes_of(pid_t owner) {
  std::vector<std::string> homes;
  for (const GroupHierarchy& each : find_hierarchies().found) {
    const std::string home = each.folder() + "/sluice." + std::to_string(owner);
    if (fs::exists(home)) homes.push_back(home);
  }
  return homes;
}

TEST(RunnerGroups, AreRemovedWithTheirJobsAndWithTheRunner) {
  {
    Runner runner;
    if (homes_of(getpid()).empty()) GTEST_SKIP() << runner.isolation_description();
    ASSERT_TRUE(end_of(runner, started(runner, shell("true"))));
    for (const std::string& home : homes_of(getpid())) EXPECT_TRUE(groups_below(home).empty());
    started(runner, shell("sleep 600"));
  }
  EXPECT_TRUE(homes_of(getpid()).empty());
}

/// The pid of a process that no longer exists.
pid_t dead_process() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

TEST(RunnerGroups, OfADeadOwnerAreEndedAndRemovedAtTheStart) {
  const OwnGroup own_group(tops(Runner::Groups::v1));
  const FoundHierarchies all = find_hierarchies();
  const pid_t dead = dead_process();
  const std::string name = "sluice." + std::to_string(dead);
  const pid_t left = fork();
  if (left == 0) {
    pause();
    _exit(0);
  }
  for (const GroupHierarchy& each : all.found) {
    if (each.version == CgroupVersion::v2) continue;
    if (!make_group(each, name).empty()) GTEST_SKIP() << "no cgroup may be made";
    make_group(each, name + "/job.1");
    const std::string job = each.folder() + "/" + name + "/job.1";
    ASSERT_EQ(write_group_file(job + "/cgroup.procs", std::to_string(left)), 0);
    if (each.controller == "freezer") {
      EXPECT_TRUE(freeze_group(job));
    }
  }
  const CgroupRoot home(CgroupRoot::Kind::v1);
  int status = 0;
  waitpid(left, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_TRUE(homes_of(dead).empty());
}

/// Run in a child, which may create no group. Checks the message of the Runner, and that it still
/// runs and measures jobs.
[[noreturn]] void run_without_permission() {
  if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
  Runner runner;
  if (!runner.isolation_description().starts_with(
          "process groups and /proc: no cgroup could be created: /"))
    _exit(1);
  if (runner.isolation_description().find("ermission denied") == std::string::npos &&
      runner.isolation_description().find("not allowed") == std::string::npos) {
    std::fprintf(stderr, "%s\n", runner.isolation_description().c_str());
    _exit(2);
  }
  // More than this process has: a smaller size would hide behind the memory that exec carries over.
  const auto end = end_of(runner, started(runner, shell(allocate(300))));
  _exit(end && end->ok() && end->usage.source == JobUsage::Source::processes &&
                end->usage.peak_memory.value > 300u << 20
            ? 0
            : 3);
}

TEST(RunnerGroups, WithoutPermissionTheReasonIsSaidAndJobsRunAllTheSame) {
  const pid_t child = fork();
  if (child == 0) run_without_permission();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
}

TEST(GroupNumbers, AreReadFromWhatTheKernelWrites) {
  EXPECT_EQ(working_set_of(100, 30).value, 70u);
  EXPECT_EQ(working_set_of(30, 100).value, 0u);
  const BlockIo v1 =
      parse_blkio_bytes("8:0 Read 4096\n8:0 Write 100\n8:16 Read 4\n8:0 Sync 7\nTotal 9\n");
  EXPECT_EQ(v1.read.value, 4100u);
  EXPECT_EQ(v1.written.value, 100u);
  const BlockIo v2 = parse_io_stat("8:0 rbytes=10 wbytes=20 rios=1\n8:16 rbytes=1 wbytes=2\n");
  EXPECT_EQ(v2.read.value, 11u);
  EXPECT_EQ(v2.written.value, 22u);
}

TEST(GroupNumbers, ThePeakLiesBetweenWhatWasSeenAndWhatTheKernelMarked) {
  PeakEvidence evidence;
  evidence.sampled = Bytes{50};
  evidence.largest_process = Bytes{60};
  EXPECT_EQ(peak_of(evidence).value, 60u) << "no group: what was seen";
  evidence.most_charged = Bytes{100};
  evidence.inactive_file = Bytes{10};
  EXPECT_EQ(peak_of(evidence).value, 90u) << "hardly looked at: the mark without idle cache";
  evidence.sample_count = kEnoughSamples;
  EXPECT_EQ(peak_of(evidence).value, 60u) << "looked at: the mark only bounds it";
  evidence.most_charged = Bytes{55};
  EXPECT_EQ(peak_of(evidence).value, 55u);
}

/// A v2 folder as plain files, since a v2 memory controller may be unavailable.
TEST(JobGroupOfV2, IsReadFromItsFiles) {
  const fs::path mount = fs::temp_directory_path() / ("sluice-v2-" + std::to_string(getpid()));
  const fs::path job = mount / "sluice.1" / "job.1";
  fs::create_directories(job);
  const auto write = [&](const char* name, const char* text) { std::ofstream(job / name) << text; };
  write("memory.current", "1000000\n");
  write("memory.peak", "2000000\n");
  write("memory.stat", "anon 5\nfile 7\ninactive_file 300000\n");
  write("memory.events", "low 0\nhigh 2\nmax 3\noom 1\noom_kill 4\noom_group_kill 0\n");
  write("memory.high", "max\n");
  write("memory.max", "max\n");
  write("memory.oom.group", "0\n");
  write("memory.swap.max", "max\n");
  write("cpu.stat", "usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n");
  write("io.stat", "8:0 rbytes=1 wbytes=2\n");
  const std::vector<GroupHierarchy> hierarchies{{CgroupVersion::v2, "", mount.string(), ""}};
  JobGroup group(hierarchies, "sluice.1/job.1");
  EXPECT_EQ(group.working_set()->value, 700000u);
  EXPECT_EQ(group.most_charged()->value, 2000000u);
  EXPECT_EQ(group.oom_kills(), 4u);
  EXPECT_EQ(group.cpu(), std::chrono::microseconds(1500));
  EXPECT_EQ(group.io()->written.value, 2u);
  EXPECT_EQ(group.limit_memory(Bytes{5}, {}).text, "");
  EXPECT_TRUE(group.kills_one_process());
  EXPECT_EQ(group.limit_memory(Bytes{5}, Bytes{6}).text, "");
  EXPECT_FALSE(group.kills_one_process()) << "all of it is killed at once";
  EXPECT_EQ(read_group_file((job / "memory.high").string()).substr(0, 1), "5");
  EXPECT_EQ(read_group_file((job / "memory.max").string()).substr(0, 1), "6");
  EXPECT_EQ(group.why_it_cannot_swap(Bytes{1}), "");
  EXPECT_EQ(group.why_it_cannot_swap(Bytes{0}), "this host has no swap");
  std::ofstream(mount / "memory.swap.max") << "0\n";
  EXPECT_EQ(group.why_it_cannot_swap(Bytes{1}), (mount / "memory.swap.max").string() + " is 0");
  fs::remove_all(mount);
}

}  // namespace
}  // namespace sluice::testing
