#include "process/command_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "fixture.h"

namespace sluice::testing {
namespace {

CommandEnd run(std::vector<std::string> command) {
  const SignalDescriptor signals(kCommandSignals);
  return run_command(command, signals);
}

TEST(RunCommand, GivesTheExitStatus) {
  EXPECT_EQ(run({"sh", "-c", "exit 7"}).status, 7);
  EXPECT_EQ(run({"true"}).status, 0);
}

TEST(RunCommand, GivesTheSignalThatKilledIt) {
  EXPECT_EQ(run({"sh", "-c", "kill -KILL $$"}).signal, SIGKILL);
}

TEST(RunCommand, DoesNotStartWhereASignalHasComeThatEndsAProcess) {
  TemporaryFolder folder;
  const SignalDescriptor signals(kCommandSignals);
  raise(SIGTERM);
  EXPECT_EQ(run_command({"touch", folder.path("ran")}, signals).signal, SIGTERM);
  EXPECT_FALSE(std::filesystem::exists(folder.path("ran")));
  EXPECT_EQ(run_command({"touch", folder.path("ran")}, signals).signal, 0) << "it came once";
  EXPECT_TRUE(std::filesystem::exists(folder.path("ran")));
}

TEST(RunCommand, SaysWhyACommandCannotBeExecuted) {
  const CommandEnd missing = run({"/nonexistent/command"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_NE(missing.problem.find("/nonexistent/command"), std::string::npos);
  TemporaryFolder folder;
  write_file(folder.path("plain"), "text");
  EXPECT_EQ(run({folder.path("plain")}).status, 126);
}

CommandEnd run_in(std::vector<std::string> command, const CommandSurroundings& surroundings) {
  const SignalDescriptor signals(kCommandSignals);
  return run_command(command, signals, surroundings);
}

TEST(RunCommand, AddsToTheEnvironment) {
  setenv("SLUICE_TEST_KEPT", "kept", 1);
  setenv("SLUICE_TEST_REPLACED", "old", 1);
  CommandSurroundings surroundings;
  surroundings.environment = {{"SLUICE_TEST_REPLACED", "new"}, {"SLUICE_TEST_ADDED", "a,b"}};
  const std::string test = "test \"$(env | grep SLUICE_TEST | sort | tr '\\n' ' ')\" = ";
  EXPECT_EQ(run_in({"sh", "-c",
                    test + "'SLUICE_TEST_ADDED=a,b SLUICE_TEST_KEPT=kept "
                           "SLUICE_TEST_REPLACED=new '"},
                   surroundings)
                .status,
            0);
}

TEST(RunCommand, TheCommandIsAsNiceAsAsked) {
  const int now = getpriority(PRIO_PROCESS, 0);
  CommandSurroundings surroundings;
  surroundings.nice = now + 1;
  EXPECT_EQ(run_in({"sh", "-c", "test $(nice) = " + std::to_string(now + 1)}, surroundings).status,
            0);
}

/// Run in a child, which may not lower its nice value. Exits like the command, with only the
/// warning on standard error.
[[noreturn]] void run_less_nice_without_permission() {
  if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
  CommandSurroundings surroundings;
  surroundings.nice = getpriority(PRIO_PROCESS, 0) - 1;
  surroundings.warn = [](const std::string& line) { std::cerr << line << "\n"; };
  _exit(run_in({"sh", "-c", "exit 7"}, surroundings).status);
}

TEST(RunCommand, ACommandThatCannotBeSoNiceRunsWithAWarning) {
  EXPECT_EXIT(run_less_nice_without_permission(), ::testing::ExitedWithCode(7),
              "^cannot set nice -?[0-9]+: Permission denied\n$");
}

/// Holds a command back until three measurements have been taken, and only then lets it end.
class HoldsBackAtFirst : public CommandAccount {
 public:
  void measured(const JobUsage&) override {
    if (++looks_ == 3) write_file(may_end_, "");
  }
  bool holds_back(TimePoint) override { return looks_ < 3; }
  int descriptor() const override { return -1; }

  CommandEnd run() {
    CommandSurroundings surroundings;
    surroundings.account = this;
    return run_in({"sh", "-c", "until test -e " + may_end_ + "; do :; done; exit 7"}, surroundings);
  }

 private:
  TemporaryFolder folder_;
  const std::string may_end_ = folder_.path("may-end");
  int looks_ = 0;
};

TEST(RunCommand, WhatIsHeldBackGoesOnAndItsTimeDoesNotCount) {
  const TimePoint before = Clock::now();
  const CommandEnd end = HoldsBackAtFirst().run();
  EXPECT_EQ(end.status, 7);
  EXPECT_LT(end.usage.wall, (Clock::now() - before) / 2);
}

/// Without permission to create a cgroup, a command that is held back is stopped by a signal, as a
/// terminal does it.
[[noreturn]] void run_held_back_without_cgroups() {
  if (geteuid() == 0 && setuid(65534) != 0) _exit(99);
  _exit(HoldsBackAtFirst().run().status);
}

TEST(RunCommand, ItDoesNotStopWithWhatItHoldsBack) {
  const pid_t keeper = fork();
  if (keeper == 0) run_held_back_without_cgroups();
  int status = 0;
  ASSERT_EQ(waitpid(keeper, &status, WUNTRACED), keeper);
  EXPECT_TRUE(WIFEXITED(status)) << "it stopped";
  EXPECT_EQ(WEXITSTATUS(status), 7);
  if (WIFSTOPPED(status)) kill(keeper, SIGKILL);
}

TEST(RunCommand, PassesSignalsOn) {
  const SignalDescriptor signals(kCommandSignals);
  // Pending before the command runs: it is forwarded as soon as it is read.
  kill(getpid(), SIGUSR1);
  EXPECT_EQ(run_command({"sleep", "60"}, signals).signal, SIGUSR1);
}

TEST(RunCommand, GivesTheCommandTheSignalMaskFromBefore) {
  EXPECT_EQ(run({"sh", "-c", "grep -q 'SigBlk:.*0000000000000000' /proc/self/status"}).status, 0);
}

}  // namespace
}  // namespace sluice::testing
