#include "sensors/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "host_trees.h"
#include "sensors/command.h"
#include "sensors/number_file.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::string> shell(std::string script) { return {"/bin/sh", "-c", std::move(script)}; }

std::string failure_text(const Result<CommandOutcome>& result) {
  return value_in(result) ? "" : failure_in(result).what;
}

TEST(RunCommand, GivesOutputAndExitStatus) {
  const auto outcome = run_for_output(shell("echo hello; exit 3"), seconds(20));
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->output, "hello\n");
  EXPECT_EQ(value_in(outcome)->exit_status, 3);
}

TEST(RunCommand, UsesNoShellAndGivesNoInput) {
  const auto outcome = run_for_output({"echo", "$HOME;", "a b"}, seconds(20));
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->output, "$HOME; a b\n");
  const auto input = run_for_output({"cat"}, seconds(20));
  ASSERT_TRUE(value_in(input)) << failure_text(input);
  EXPECT_EQ(value_in(input)->output, "");
}

TEST(RunCommand, HandsOnNoDescriptorsOfThisProcess) {
  const int inheritable = dup(STDERR_FILENO);
  const std::string script = "[ -e /proc/self/fd/" + std::to_string(inheritable) + " ]";
  const auto outcome = run_for_output(shell(script), seconds(20));
  close(inheritable);
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->exit_status, 1);
}

TEST(RunCommand, SaysWhyAProgramCannotBeStarted) {
  EXPECT_EQ(failure_text(run_for_output({"/no/such/program"}, seconds(20))),
            "/no/such/program: No such file or directory");
  EXPECT_EQ(failure_text(run_for_output({"/etc/passwd"}, seconds(20))),
            "/etc/passwd: Permission denied");
  EXPECT_EQ(failure_text(run_for_output({}, seconds(20))), "no command");
}

TEST(RunCommand, SaysThatItNeedsTheNullDevice) {
  if (geteuid() != 0) GTEST_SKIP() << "chroot takes root";
  const TemporaryTree tree;
  const pid_t child = fork();
  if (child == 0) {
    const bool is_in = chroot(tree.at("").c_str()) == 0 && chdir("/") == 0;
    const auto outcome = run_for_output({"/program"}, seconds(20));
    std::ofstream("/said") << (is_in ? failure_text(outcome) : "no chroot");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  std::string said;
  std::getline(std::ifstream(tree.at("/said")) >> std::ws, said);
  EXPECT_EQ(said,
            "/dev/null, which /program gets for its input and errors: No such file or directory");
}

TEST(RunCommand, ThrowsAwayMoreThanItsMostOutputWithoutStoppingTheCommand) {
  const auto outcome =
      run_for_output(shell("head -c 1000000 /dev/zero | tr '\\0' x; exit 7"), seconds(20));
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->output, std::string(kMostOutput, 'x'));
  EXPECT_EQ(value_in(outcome)->exit_status, 7);
}

TEST(RunCommand, KillsWhatNeverStopsWriting) {
  EXPECT_EQ(failure_text(run_for_output({"yes"}, milliseconds(200))), "yes: killed after 0.2 s");
}

TEST(RunCommand, SaysWhichSignalEndedIt) {
  EXPECT_EQ(failure_text(run_for_output(shell("kill -TERM $$"), seconds(20))),
            "/bin/sh: ended by signal 15");
}

/// Whether the process exists and is not a zombie.
bool is_alive(pid_t pid) {
  const auto stat = read_once("/proc/" + std::to_string(pid) + "/stat");
  return value_in(stat) && value_in(stat)->find(") Z") == std::string::npos;
}

bool dies_soon(pid_t pid) {
  const TimePoint deadline = Clock::now() + seconds(10);
  while (is_alive(pid) && Clock::now() < deadline) std::this_thread::yield();
  return !is_alive(pid);
}

pid_t pid_in(const std::string& path) {
  const auto text = read_once(path);
  return value_in(text) ? std::atoi(value_in(text)->c_str()) : 0;
}

TEST(RunCommand, KillsTheWholeGroupWhenTheTimeIsOver) {
  const TemporaryTree tree;
  const std::string script = "sleep 1000 & echo $! > " + tree.at("/pid") + "; wait";
  const TimePoint began = Clock::now();
  const auto outcome = run_for_output(shell(script), milliseconds(500));
  EXPECT_EQ(failure_text(outcome), "/bin/sh: killed after 0.5 s");
  EXPECT_LT(Clock::now() - began, seconds(10));
  const pid_t grandchild = pid_in(tree.at("/pid"));
  ASSERT_GT(grandchild, 0);
  EXPECT_TRUE(dies_soon(grandchild));
}

TEST(RunCommand, LeavesNoGrandchildBehindAndDoesNotWaitForIt) {
  const TemporaryTree tree;
  const TimePoint began = Clock::now();
  const auto outcome = run_for_output(
      shell("sleep 1000 & echo $! > " + tree.at("/pid") + "; echo done"), seconds(60));
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->output, "done\n");
  EXPECT_LT(Clock::now() - began, seconds(30));
  EXPECT_TRUE(dies_soon(pid_in(tree.at("/pid"))));
}

TEST(RunCommand, AnExitStatusThatSomebodyElseTookIsNotSuccess) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGCHLD, &ignore, &before), 0);
  const auto outcome = run_for_output({"true"}, seconds(20));
  ASSERT_EQ(::sigaction(SIGCHLD, &before, nullptr), 0);
  EXPECT_EQ(failure_text(outcome), "true: other code in this process took its exit status");
}

TEST(CommandReading, WithoutALimitTheExitStatusIsTheVerdict) {
  const Reading green = reading_or_fail(command_reading({0, "all well\nmore\n"}, {}, "c"));
  EXPECT_EQ(green.pressure(), 0);
  EXPECT_EQ(green.sentence, "all well");
  const Reading red = reading_or_fail(command_reading({1, ""}, {}, "c"));
  EXPECT_EQ(red.pressure(), 1);
  EXPECT_EQ(red.sentence, "exit status 1");
  const auto other = command_reading({2, "all well"}, {}, "c");
  ASSERT_FALSE(value_in(other));
  EXPECT_EQ(failure_in(other).what, "c: exit status 2");
}

TEST(CommandReading, WithALimitTheNumberIsJudgedAndReachingItIsRed) {
  EXPECT_DOUBLE_EQ(reading_or_fail(command_reading({0, " 20 \n"}, 40, "c")).pressure(), 0.5);
  EXPECT_EQ(reading_or_fail(command_reading({0, "40"}, 40, "c")).pressure(), 1);
  EXPECT_EQ(reading_or_fail(command_reading({0, "-3"}, 40, "c")).pressure(), 0);
  for (const char* bad : {"", "many", "nan", "inf", "1 2", "\xff\xfe"}) {
    EXPECT_FALSE(value_in(command_reading({0, bad}, 40, "c"))) << bad;
  }
  EXPECT_FALSE(value_in(command_reading({1, "20"}, 40, "c")));
}

TEST(CommandReading, MakesForeignTextFitForPeople) {
  const Reading reading =
      reading_or_fail(command_reading({0, "\xff\x1b[31m" + std::string(500, 'x')}, {}, "c"));
  EXPECT_EQ(reading.sentence.substr(0, 6), "??[31m");
  EXPECT_EQ(reading.sentence.size(), 200u);
}

TEST(CommandSensor, RunsItsCommand) {
  CommandSensor sensor({"echo", "30"}, 40, seconds(20));
  EXPECT_EQ(reading_or_fail(sensor.read(at_seconds(0))).pressure(), 0.75);
}

TEST(NumberFileSensor, ReadsTheNumberThatIsThereNow) {
  const TemporaryTree tree{{"/n", "10\n"}, {"/m", "40"}};
  NumberFileSensor sensor(tree.at("/n"), 40);
  const Reading reading = reading_or_fail(sensor.read(at_seconds(0)));
  EXPECT_EQ(reading.pressure(), 0.25);
  EXPECT_EQ(reading.sentence, "10, below 40 needed");
  EXPECT_EQ(reading.source, tree.at("/n"));
  ASSERT_EQ(::rename(tree.at("/m").c_str(), tree.at("/n").c_str()), 0);
  EXPECT_EQ(reading_or_fail(sensor.read(at_seconds(1))).pressure(), 1);
}

TEST(NumberFileSensor, WhatIsNoNumberIsAFailure) {
  const TemporaryTree tree;
  NumberFileSensor sensor(tree.at("/n"), 40);
  EXPECT_FALSE(value_in(sensor.read(at_seconds(0))));
  for (const std::string& bad : {std::string(), std::string("free"), std::string("1e999"),
                                 std::string("\xff\x00", 2), std::string(5000, '1')}) {
    tree.write("/n", bad);
    EXPECT_FALSE(value_in(sensor.read(at_seconds(0)))) << bad.substr(0, 10);
  }
}

TEST(RunCommand, KillsWhatHasLeftItsGroup) {
  const TemporaryTree tree;
  const std::string script = "setsid sh -c 'echo $$ > " + tree.at("/pid") +
                             "; exec sleep 1000' > /dev/null & "
                             "while [ ! -s " +
                             tree.at("/pid") + " ]; do sleep 0.01; done";
  const auto outcome = run_for_output(shell(script), seconds(20));
  ASSERT_TRUE(value_in(outcome)) << failure_text(outcome);
  EXPECT_EQ(value_in(outcome)->exit_status, 0);
  EXPECT_TRUE(dies_soon(pid_in(tree.at("/pid"))));
}

TEST(RunCommand, NothingOutlivesTheProcessThatReads) {
  const TemporaryTree tree;
  const pid_t reader = fork();
  if (reader == 0) {
    const std::string script = "setsid sh -c 'echo $$ > " + tree.at("/pid") +
                               "; exec sleep 1000' > /dev/null & exec sleep 1000";
    [[maybe_unused]] const auto never = run_for_output(shell(script), seconds(1000));
    _exit(0);
  }
  const TimePoint deadline = Clock::now() + seconds(20);
  while (pid_in(tree.at("/pid")) == 0 && Clock::now() < deadline) std::this_thread::yield();
  kill(reader, SIGKILL);
  waitpid(reader, nullptr, 0);
  ASSERT_GT(pid_in(tree.at("/pid")), 0);
  EXPECT_TRUE(dies_soon(pid_in(tree.at("/pid"))));
}

}  // namespace
}  // namespace sluice
