// Guarantees for every job, whichever means holds it: only process groups and /proc, the v1
// cgroups, or a v2 cgroup.
#include "process/runner.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "runner_helpers.h"

namespace sluice::testing {
namespace {

class RunnerTest : public ::testing::TestWithParam<Runner::Groups> {
 protected:
  void SetUp() override {
    if (GetParam() != Runner::Groups::off &&
        runner_.isolation_description().starts_with("process groups")) {
      GTEST_SKIP() << runner_.isolation_description();
    }
  }

  RunEnd run(const Command& command) {
    const pid_t job = started(runner_, command);
    EXPECT_GT(job, 0);
    const auto end = end_of(runner_, job);
    EXPECT_TRUE(end) << "the job did not end";
    return end.value_or(RunEnd{});
  }

  Runner runner_{GetParam()};
};

TEST_P(RunnerTest, TellsHowAJobEnded) {
  EXPECT_TRUE(run(shell("exit 0")).ok());
  EXPECT_EQ(run(shell("exit 3")).sentence(), "exit status 3");
  EXPECT_EQ(run(shell("kill -TERM $$")).sentence(), "killed by signal 15 (Terminated)");
}

TEST_P(RunnerTest, SaysWhyACommandCannotBeRun) {
  Command command;
  command.argv = {"/nonexistent/command"};
  const auto missing = runner_.start(command);
  ASSERT_TRUE(std::holds_alternative<std::string>(missing));
  EXPECT_EQ(std::get<std::string>(missing),
            "cannot run /nonexistent/command: No such file or directory");
  EXPECT_EQ(runner_.start_error(), ENOENT);
  command = shell("true");
  command.directory = "/nonexistent";
  const auto nowhere = runner_.start(command);
  ASSERT_TRUE(std::holds_alternative<std::string>(nowhere));
  EXPECT_EQ(std::get<std::string>(nowhere),
            "cannot run in /nonexistent: No such file or directory");
  EXPECT_TRUE(runner_.running().empty());
}

TEST_P(RunnerTest, GivesAJobItsStreamsDirectoryAndEnvironment) {
  Lifeline lifeline;
  Lifeline feed;
  Command command = shell("read word; echo \"$word $PWD $GREETING\"");
  command.input = feed.reader();
  command.output = lifeline.writer();
  command.directory = "/usr";
  command.environment["GREETING"] = "hello";
  const pid_t job = started(runner_, command);
  ASSERT_EQ(write(feed.writer(), "first\n", 6), 6);
  EXPECT_EQ(lifeline.line(), "first /usr hello");
  EXPECT_TRUE(end_of(runner_, job));
}

TEST_P(RunnerTest, AJobInheritsOnlyTheVariablesThatAreNamed) {
  setenv("SLUICE_TEST_SECRET", "s", 1);
  setenv("SLUICE_TEST_WANTED", "w", 1);
  Lifeline lifeline;
  Command command = shell("echo \"$SLUICE_TEST_SECRET $SLUICE_TEST_WANTED $GREETING\"");
  command.output = lifeline.writer();
  command.environment["GREETING"] = "hello";
  command.inherited = {"SLUICE_TEST_WANTED", "SLUICE_TEST_ABSENT"};
  EXPECT_TRUE(run(command).ok());
  EXPECT_EQ(lifeline.line(), " w hello");
  unsetenv("SLUICE_TEST_SECRET");
  unsetenv("SLUICE_TEST_WANTED");
}

TEST_P(RunnerTest, AJobInheritsOnlyTheDescriptorsItIsGiven) {
  Lifeline kept;
  Lifeline lifeline;
  const int leaky = open("/dev/null", O_RDONLY);  // NOLINT: without O_CLOEXEC, on purpose
  Command command =
      shell("for i in $(seq 0 99); do test -e /proc/$$/fd/$i && printf \"$i \"; done; echo");
  command.output = lifeline.writer();
  command.kept = {kept.writer()};
  const pid_t job = started(runner_, command);
  EXPECT_EQ(lifeline.line(), "0 1 2 " + std::to_string(kept.writer()) + " ");
  EXPECT_TRUE(end_of(runner_, job));
  close(leaky);
}

TEST_P(RunnerTest, AJobHasNoSignalBlockedAndIsAsNiceAsAsked) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  Command command =
      shell("grep -q 'SigBlk:.*0000000000000000' /proc/self/status && test $(nice) = 7");
  command.nice = 7;
  EXPECT_TRUE(run(command).ok());
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST_P(RunnerTest, AJobThatNeedsNoGroupStaysInThatOfItsRunner) {
  Command command = shell("test \"$(cat /proc/self/cgroup)\" = \"$OUTER\"");
  std::ifstream own("/proc/self/cgroup");
  command.environment["OUTER"] = {std::istreambuf_iterator<char>(own), {}};
  while (command.environment["OUTER"].ends_with('\n')) command.environment["OUTER"].pop_back();
  EXPECT_EQ(run(command).ok(), GetParam() == Runner::Groups::off);
  command.group = Command::Group::unneeded;
  EXPECT_TRUE(run(command).ok());
}

TEST_P(RunnerTest, CountsTheCpuTimeOfAllThatRan) {
  const RunEnd end = run(shell("i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done"));
  EXPECT_GT(end.usage.cpu, std::chrono::milliseconds(30));
  EXPECT_LT(end.usage.cpu, end.usage.wall + std::chrono::milliseconds(50));
  const RunEnd idle = run(shell("true"));
  EXPECT_LT(idle.usage.cpu, std::chrono::milliseconds(30));
}

constexpr const char* kAllocator =
    "perl -e '$x = \"a\" x (100 << 20); $| = 1; print \"up\\n\"; sleep 60'";

TEST_P(RunnerTest, MeasuresTheMemoryOfARunningJob) {
  Lifeline lifeline;
  Command command = shell(std::string(kAllocator) + "; true");
  command.output = lifeline.writer();
  const pid_t job = started(runner_, command);
  ASSERT_EQ(lifeline.line(), "up");
  const JobUsage usage = runner_.measure(job);
  EXPECT_GT(usage.memory.value, 100u << 20);
  EXPECT_LT(usage.memory.value, 300u << 20);
  runner_.end(job);
  const auto end = end_of(runner_, job);
  ASSERT_TRUE(end);
  EXPECT_GE(end->usage.peak_memory, usage.memory);
  EXPECT_FALSE(end->oom_killed) << "Sluice itself killed it";
}

TEST_P(RunnerTest, APeakBetweenTwoLooksIsKnownFromTheEnd) {
  const RunEnd end = run(shell("perl -e '$x = \"a\" x (200 << 20)'"));
  EXPECT_GT(end.usage.peak_memory.value, 200u << 20);
}

TEST_P(RunnerTest, WhatAJobLeavesRunningEndsWithIt) {
  Lifeline lifeline;
  Command command = shell("sleep 600 & exit 5");
  command.kept = {lifeline.writer()};
  EXPECT_EQ(run(command).sentence(), "exit status 5");
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends());
}

TEST_P(RunnerTest, NamesWhatAJobLeftRunningUnlessASignalEndedIt) {
  const RunEnd left =
      run(shell("setsid sleep 600 & until [ \"`cat /proc/$!/comm`\" = sleep ]; do :; done"));
  EXPECT_EQ(left.left.names, std::vector<std::string>{"sleep"});
  EXPECT_EQ(left.about_left(), "killed 1 process that the command left running: sleep");
  EXPECT_EQ(run(shell("true")).about_left(), "");
  EXPECT_EQ(run(shell("sleep 600 & kill -INT $$")).about_left(), "");
}

TEST_P(RunnerTest, NamesFiveOfTheProcessesThatAJobLeftAndCountsTheOthers) {
  const RunEnd end = run(shell("for each in 1 2 3 4 5 6 7; do sleep 600 & done"));
  EXPECT_EQ(end.left.names.size(), 5u);
  EXPECT_EQ(end.left.count, 7u);
}

/// A process that names itself, and leaves a copy of itself running.
Command leaving(const std::string& name) {
  return shell("exec perl -e '$0 = \"" + name + "\"; fork and exit; sleep 600'");
}

TEST_P(RunnerTest, MakesPrintableANameThatAProcessChose) {
  EXPECT_EQ(run(leaving("a\\e[31m\\xffb\\n")).left.names, std::vector<std::string>{"a?[31m?b?"});
  EXPECT_EQ(run(leaving("")).left.names, std::vector<std::string>{"?"});
}

TEST_P(RunnerTest, NamesADaemonOfSluiceThatWasLeftButNoGuard) {
  EXPECT_EQ(run(leaving("sluice-guard")).about_left(), "");
  const std::string daemon = "$0 = \"sluice\"; sleep 600";
  const RunEnd left = run(
      shell("perl -e '" + daemon + "' & until [ \"`cat /proc/$!/comm`\" = sluice ]; do :; done"));
  EXPECT_EQ(left.about_left(), "killed 1 process that the command left running: sluice");
}

TEST(RunnerEnd, SaysHowManyProcessesThatWereLeftItDoesNotName) {
  RunEnd end;
  end.left = {17, {"a", "b", "c", "d", "e"}};
  EXPECT_EQ(end.about_left(),
            "killed 17 processes that the command left running: a, b, c, d, e and 12 more");
  end.left = {2, {"a", "b"}};
  EXPECT_EQ(end.about_left(), "killed 2 processes that the command left running: a, b");
}

/// Leaves its parent, process group and session, and reports when it has.
constexpr const char* kRunaway =
    "setsid sh -c 'setsid sleep 600 & echo away' & wait; while :; do sleep 1; done";

TEST_P(RunnerTest, ARunawayEndsWithItsJobWhileAnotherGoesOn) {
  Lifeline lifeline;
  Lifeline other_lifeline;
  Command command = shell(kRunaway);
  command.output = lifeline.writer();
  const pid_t job = started(runner_, command);
  Command other_command =
      shell("setsid sh -c 'setsid sleep 600 & echo away' & wait; exec sleep 600");
  other_command.output = other_lifeline.writer();
  const pid_t other = started(runner_, other_command);
  ASSERT_EQ(lifeline.line(), "away");
  ASSERT_EQ(other_lifeline.line(), "away");
  runner_.end(job);
  ASSERT_TRUE(end_of(runner_, job));
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends());
  EXPECT_EQ(runner_.running(), std::vector<pid_t>{other});
  EXPECT_GE(runner_.measure(other).memory.value, 1u);
  runner_.end(other);
  ASSERT_TRUE(end_of(runner_, other));
  other_lifeline.let_go();
  EXPECT_TRUE(other_lifeline.ends());
}

TEST_P(RunnerTest, ASuspendedJobUsesNoCpuUntilItIsResumed) {
  const pid_t job = started(runner_, shell("(while :; do :; done) & while :; do :; done"));
  const auto cpu = [&] { return runner_.measure(job).cpu; };
  ASSERT_TRUE(comes_true([&] { return cpu() > std::chrono::milliseconds(20); }));
  runner_.suspend(job);
  runner_.suspend(job);
  EXPECT_TRUE(runner_.is_suspended(job));
  poll(nullptr, 0, 30);
  const Duration before = cpu();
  const Duration wall = runner_.measure(job).wall;
  poll(nullptr, 0, 100);
  EXPECT_EQ(cpu(), before);
  EXPECT_LT(runner_.measure(job).wall - wall, std::chrono::milliseconds(20));
  runner_.resume(job);
  runner_.resume(job);
  EXPECT_FALSE(runner_.is_suspended(job));
  EXPECT_TRUE(comes_true([&] { return cpu() > before + std::chrono::milliseconds(20); }));
  runner_.end(job);
  EXPECT_TRUE(end_of(runner_, job));
}

TEST_P(RunnerTest, ASuspendedJobCanBeEnded) {
  const pid_t job = started(runner_, shell("sleep 600 & wait"));
  runner_.suspend(job);
  runner_.end(job);
  const auto end = end_of(runner_, job);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->sentence(), "killed by signal 9 (Killed)");
}

TEST_P(RunnerTest, ASignalReachesEveryProcessOfAJob) {
  Lifeline lifeline;
  Command command = shell(
      "trap : TERM; sh -c 'trap \"echo child; exit\" TERM; echo up; while :; do sleep 0.05; done' &"
      " wait; wait; exit 4");
  command.output = lifeline.writer();
  const pid_t job = started(runner_, command);
  ASSERT_EQ(lifeline.line(), "up");
  runner_.signal(job, SIGTERM);
  EXPECT_EQ(lifeline.line(), "child");
  const auto end = end_of(runner_, job);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->sentence(), "exit status 4");
}

TEST_P(RunnerTest, LeavesNoZombieAndNoDescriptor) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  run(shell("true"));
  const auto before = descriptors();
  const auto children = read_own_children();
  for (int i = 0; i < 10; ++i) run(shell("(setsid sh -c 'sleep 0.01 & exit' &); exit 0"));
  EXPECT_EQ(descriptors(), before);
  EXPECT_TRUE(comes_true([&] {
    runner_.reap();
    return read_own_children() == children;
  }));
}

INSTANTIATE_TEST_SUITE_P(Held, RunnerTest, ways_to_hold(), name_of_way);

TEST(RunnerMeans, SayThatCgroupsAreSwitchedOff) {
  EXPECT_EQ(Runner(Runner::Groups::off).isolation_description(),
            "process groups and /proc: cgroups are off");
}

TEST(RunnerEnd, EndsWhatStillRuns) {
  Lifeline lifeline;
  {
    Runner runner(Runner::Groups::off);
    Command command = shell("(setsid sleep 600 &) ; echo up; exec sleep 600");
    command.output = lifeline.writer();
    ASSERT_GT(started(runner, command), 0);
    ASSERT_EQ(lifeline.line(), "up");
  }
  lifeline.let_go();
  EXPECT_TRUE(lifeline.ends());
}

}  // namespace
}  // namespace sluice::testing
