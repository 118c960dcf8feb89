// The jobs of a process that is killed: a real kill -9.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "process/cgroup/hierarchy.h"
#include "runner_helpers.h"

namespace sluice::testing {
namespace {

class RunnerGuardTest : public ::testing::TestWithParam<Runner::Groups> {
 protected:
  /// An owner of jobs in a process of its own, which does `work` and sleeps until killed.
  template <class Work>
  pid_t owner(Work work) {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    Runner runner(GetParam());
    work(runner);
    while (true) pause();
  }

  static void kill_owner(pid_t owner) {
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
  }

  static std::ptrdiff_t homes_of(pid_t owner) {
    const std::vector<GroupHierarchy> all = find_hierarchies().found;
    return std::count_if(all.begin(), all.end(), [&](const GroupHierarchy& each) {
      return std::filesystem::exists(each.folder() + "/sluice." + std::to_string(owner));
    });
  }
  static bool no_group_left(pid_t owner) { return homes_of(owner) == 0; }
};

TEST_P(RunnerGuardTest, AKilledOwnerLeavesNothingBehind) {
  Lifeline lifeline;
  const pid_t pid = owner([&](Runner& runner) {
    Command command = shell(
        "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; setsid sleep 600 & wait' & "
        "sleep 600 & echo up; wait");
    command.output = lifeline.writer();
    started(runner, command);
    started(runner, command);
  });
  ASSERT_EQ(lifeline.line(), "up");
  ASSERT_EQ(lifeline.line(), "up");
  kill_owner(pid);
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends()) << "a process of a job goes on";
  EXPECT_TRUE(comes_true([&] { return no_group_left(pid); })) << "a group is left";
}

TEST_P(RunnerGuardTest, AKilledOwnerLeavesNothingStopped) {
  Lifeline lifeline;
  const pid_t pid = owner([&](Runner& runner) {
    Command command = shell("sleep 600 & setsid sleep 600 & echo up; wait");
    command.output = lifeline.writer();
    const pid_t job = started(runner, command);
    poll(nullptr, 0, 100);
    runner.suspend(job);
    [[maybe_unused]] const auto told = write(lifeline.writer(), "suspended\n", 10);
  });
  ASSERT_EQ(lifeline.line(), "up");
  ASSERT_EQ(lifeline.line(), "suspended");
  kill_owner(pid);
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends()) << "a process of a job is still stopped";
  EXPECT_TRUE(comes_true([&] { return no_group_left(pid); })) << "a group is left";
}

TEST_P(RunnerGuardTest, AKilledOwnerLeavesNothingBehindThatClearedItsEnvironment) {
  Lifeline lifeline;
  const pid_t pid = owner([&](Runner& runner) {
    Command command = shell("env -i sh -c 'echo up; exec sleep 600' &");
    command.output = lifeline.writer();
    started(runner, command);
  });
  ASSERT_EQ(lifeline.line(), "up");
  kill_owner(pid);
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends()) << "a process of a job whose first process has ended goes on";
}

TEST_P(RunnerGuardTest, AJobInThePlaceOfAKilledOwnerHasTimeToEnd) {
  Lifeline lifeline;
  const pid_t pid = owner([&](Runner& runner) {
    const std::string told = ">&" + std::to_string(lifeline.writer());
    Command command = shell("trap 'sleep 0.5; echo ended " + told + "; exit' TERM; echo up " +
                            told + "; while :; do sleep 0.05; done");
    command.kept = {lifeline.writer()};
    command.in_place.emplace();
    sigprocmask(SIG_SETMASK, nullptr, &*command.in_place);
    started(runner, command);
  });
  ASSERT_EQ(lifeline.line(), "up");
  kill_owner(pid);
  EXPECT_EQ(lifeline.line(), "ended");
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends());
}

/// The guard among the children of a process.
pid_t guard_of(pid_t owner) {
  for (const ProcessFacts& each : read_processes()) {
    if (each.parent == owner && each.session == each.pid) return each.pid;
  }
  return 0;
}

TEST_P(RunnerGuardTest, TheGuardHoldsNothingAndNoTerminalReachesIt) {
  Lifeline lifeline;
  const pid_t pid = owner(
      [&](Runner&) { [[maybe_unused]] const auto told = write(lifeline.writer(), "up\n", 3); });
  ASSERT_EQ(lifeline.line(), "up");
  ASSERT_TRUE(comes_true([&] { return guard_of(pid) > 0; })) << "it has no session of its own";
  const pid_t guard = guard_of(pid);
  const std::string folder = "/proc/" + std::to_string(guard) + "/fd";
  EXPECT_TRUE(comes_true([&] {
    return std::distance(std::filesystem::directory_iterator(folder), {}) == 4 + homes_of(pid);
  })) << "more than three streams to /dev/null, its socket and the locks of its groups";
  kill(guard, SIGINT);
  kill(guard, SIGHUP);
  kill(guard, SIGTERM);
  EXPECT_EQ(guard_of(pid), guard);
  kill_owner(pid);
  EXPECT_TRUE(comes_true([&] { return !read_process(guard) || !read_process(guard)->is_alive(); }));
}

TEST_P(RunnerGuardTest, AGuardThatWasKilledIsReplaced) {
  Lifeline lifeline;
  const pid_t pid = owner([&](Runner& runner) {
    Command command = shell("setsid sleep 600 & echo up; wait");
    command.output = lifeline.writer();
    started(runner, command);
    comes_true([] { return guard_of(getpid()) > 0; });
    const pid_t guard = guard_of(getpid());
    kill(guard, SIGKILL);
    comes_true([&] {
      runner.reap();
      const pid_t now = guard_of(getpid());
      return now > 0 && now != guard;
    });
    [[maybe_unused]] const auto told = write(lifeline.writer(), "replaced\n", 9);
  });
  std::string told = lifeline.line() + lifeline.line();
  ASSERT_TRUE(told == "upreplaced" || told == "replacedup") << told;
  kill_owner(pid);
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends());
  EXPECT_TRUE(comes_true([&] { return no_group_left(pid); }));
}

INSTANTIATE_TEST_SUITE_P(Held, RunnerGuardTest, ways_to_hold(), name_of_way);

}  // namespace
}  // namespace sluice::testing
