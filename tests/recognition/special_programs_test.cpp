// Programs that a build may run and that are not to be held, or not in the usual way. In each a
// first program computes while a second one, which has no room, starts.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "command_runner.h"
#include "contents.h"
#include "installed.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

class SpecialPrograms : public WatchedBuild {
 protected:
  SpecialPrograms() : WatchedBuild(kOneAtOnce) {
    add_program("busy/cc1",
                "#!/usr/bin/env python3\n"
                "import sys, time\n"
                "until = time.monotonic() + float(sys.argv[1])\n"
                "while time.monotonic() < until:\n"
                "    sum(range(200000))\n"
                "    time.sleep(0.02)\n");
  }
  void expect_held(const Answer& answer) const {
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_GE(number(answer, "runs"), 2) << answer.text;
    // A program that executes this one may ask, too, and be over before it can be held.
    EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
    EXPECT_TRUE(std::filesystem::exists(build.path("out")));
  }
  /// Whether its watcher tells nobody that it stops something.
  static bool is_unseen() { return std::string(GetParam()) != "signals"; }
  void expect_held_unseen(const Answer& answer) const {
    is_unseen() ? expect_held(answer) : expect_not_held(answer);
  }
  /// Runs a line beside a program that computes for so many seconds and has the only permit.
  Answer beside_a_busy_one(const std::string& line, const std::string& seconds = "2") const {
    return run("busy/cc1 " + seconds + " & sleep 0.3; " + line + "; status=$?; wait; exit $status");
  }
  /// The same beside one that computes until the line ends.
  Answer beside_one_that_outlasts_it(const std::string& line) const {
    return run("busy/cc1 100 & busy=$!; sleep 0.3; " + line +
               "; status=$?; kill $busy; wait; exit $status");
  }
  /// The same, once that one has the permit.
  Answer beside_one_with_the_permit(const std::string& line) const {
    CommandRunner running(watched("busy/cc1 100 & busy=$!; until [ -e go ]; do sleep 0.02; done; " +
                                  line + "; status=$?; kill $busy; wait; exit $status"),
                          folder.path(""));
    EXPECT_TRUE(eventually([&] { return daemon->count("running") == 1; }));
    write_file(build.path("go"), "");
    const int status = running.wait();
    return {WEXITSTATUS(status), running.out() + running.err()};
  }
  /// The same, if it is held, beside one that ends.
  Answer beside_one_as_long(const std::string& line) const {
    return is_unseen() ? beside_a_busy_one(line, "4") : beside_one_that_outlasts_it(line);
  }
  void expect_not_held(const Answer& answer) const {
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_EQ(number(answer, "runs"), 1) << "the busy one: " << answer.text;
    // More where the program is executed by another one, which asks, too.
    EXPECT_GE(number(answer, "unstoppable"), 1) << answer.text;
    EXPECT_EQ(number(answer, "most_held"), 0) << answer.text;
    EXPECT_TRUE(std::filesystem::exists(build.path("out")));
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, SpecialPrograms, ::testing::Values("best", "proc", "signals"));

TEST_P(SpecialPrograms, OrdinaryOnesAreHeldUntilThereIsRoom) {
  const Answer answer = beside_a_busy_one("./cc1 out");
  expect_held(answer);
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
  EXPECT_EQ(number(answer, "unstoppable"), 0) << answer.text;
}

TEST_P(SpecialPrograms, WhatIsTracedIsNotHeld) {
  if (is_missing("strace")) GTEST_SKIP() << "SKIPPED: strace is not installed";
  expect_not_held(beside_one_that_outlasts_it("strace -f -o trace ./cc1 out"));
}

/// The program itself, as gdb needs it, where `python3` is a script that starts it.
std::string python_program() {
  std::string path = answer_of("python3 -c 'import sys; print(sys.executable)'").text;
  path.erase(path.find_last_not_of('\n') + 1);
  return path;
}

TEST_P(SpecialPrograms, WhatGdbRunsIsNotHeld) {
  if (is_missing("gdb")) GTEST_SKIP() << "SKIPPED: gdb is not installed";
  // At its start it runs iconv, if it finds it: a job like any other, if it takes 50 ms.
  const std::string gdb =
      "PATH=/none $(command -v gdb) -nx -batch -ex run --args " + python_program();
  const std::string ended = "exited normally";
  if (answer_of(gdb + " -c pass").text.find(ended) == std::string::npos) {
    GTEST_SKIP() << "SKIPPED: gdb may not trace";
  }
  const Answer answer = beside_one_with_the_permit(gdb + " ./cc1 out");
  expect_not_held(answer);
  EXPECT_NE(answer.text.find(ended), std::string::npos) << answer.text;
  EXPECT_EQ(answer.text.find("SIG"), std::string::npos) << "gdb was told of it: " << answer.text;
}

TEST_P(SpecialPrograms, WhatProotRunsIsNotHeld) {
  if (is_missing("proot")) GTEST_SKIP() << "SKIPPED: proot is not installed";
  if (answer_of("proot true").status != 0) GTEST_SKIP() << "SKIPPED: proot may not trace";
  expect_not_held(beside_one_with_the_permit("proot " + python_program() + " ./cc1 out"));
}

TEST_P(SpecialPrograms, TheChildOfScriptIsHeldOnlyIfItDoesNotSeeThat) {
  if (is_missing("script")) GTEST_SKIP() << "SKIPPED: script is not installed";
  setenv("SHELL", "/bin/sh", 1);
  expect_held_unseen(beside_one_as_long("script -qec \"exec ./cc1 out\" typescript </dev/null"));
}

TEST_P(SpecialPrograms, TheChildOfSuAndItsKinIsHeldOnlyIfTheyDoNotSeeThat) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root becomes root without a password";
  for (const char* line :
       {"sudo ./cc1 out", "runuser -u root -- ./cc1 out",
        "su root -s /bin/sh -c \"exec ./cc1 out\"", "nsenter --pid=/proc/self/ns/pid ./cc1 out"}) {
    const std::string program = std::string(line).substr(0, std::string(line).find(' '));
    if (is_missing(program)) continue;
    SCOPED_TRACE(line);
    std::filesystem::remove(build.path("out"));
    expect_held_unseen(beside_one_as_long(line));
  }
}

TEST_P(SpecialPrograms, TheChildOfAShellWithJobControlIsHeldOnlyIfItDoesNotSeeThat) {
  if (is_missing("bash") || is_missing("script")) GTEST_SKIP() << "SKIPPED: no bash, no script";
  // In a terminal, without which there is no job control.
  add_program("jobs", "#!/bin/bash -m\n./cc1 out\ntrue\n");
  expect_held_unseen(beside_one_as_long("script -qec ./jobs typescript </dev/null"));
}

TEST_P(SpecialPrograms, APipelineUnderJobControlHasTheStatusOfItsLast) {
  if (is_missing("bash")) GTEST_SKIP() << "SKIPPED: bash is not installed";
  add_program("jobs", "#!/bin/bash\nset -m\ntrue | ./cc1 out\necho rc=$?\n");
  const Answer answer = beside_one_as_long("./jobs");
  expect_held_unseen(answer);
  EXPECT_NE(answer.text.find("rc=0"), std::string::npos) << answer.text;
}

TEST_P(SpecialPrograms, OnesInAFolderWhoseNameHasAControlCharacterAreHeldToo) {
  const Answer answer = beside_a_busy_one("mkdir \"a\tb\"; cd \"a\tb\"; ../cc1 out");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
}

TEST_P(SpecialPrograms, ByTimeoutTheyAreHeldForTenSeconds) {
  if (std::string(GetParam()) == "proc") GTEST_SKIP() << "the same, and it takes 12 s";
  const Answer answer = beside_one_that_outlasts_it("timeout 30 ./cc1 out");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "clock"), 1) << answer.text;
  EXPECT_EQ(number(answer, "runs"), 1) << "it ended before it got a permit: " << answer.text;
}

TEST_P(SpecialPrograms, AHeldOneThatIsToEndEndsAtOnce) {
  const Answer answer = beside_a_busy_one("./cc1 out & held=$!; sleep 0.5; kill $held; wait $held");
  EXPECT_EQ(answer.status, 128 + SIGTERM) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
  EXPECT_EQ(number(answer, "runs"), 1) << answer.text;
  EXPECT_FALSE(std::filesystem::exists(build.path("out")));
}

TEST_P(SpecialPrograms, AHeldOneThatAForegroundShellContinuesIsHeldAgain) {
  CommandRunner running(watched("busy/cc1 4 & sleep 0.3; ./cc1 out & wait"), folder.path(""));
  ASSERT_TRUE(eventually([&] { return stopped() == 1; }));
  // The command leads a group of its own.
  const pid_t group = first_child_of(running.pid());
  kill(-group, SIGSTOP);
  ASSERT_TRUE(eventually([&] { return stopped() >= 3; }));
  kill(-group, SIGCONT);
  EXPECT_TRUE(eventually([&] { return stopped() == 1; }));
  EXPECT_EQ(WEXITSTATUS(running.wait()), 0);
  EXPECT_TRUE(std::filesystem::exists(build.path("out")));
}

TEST_P(SpecialPrograms, OnesWhoseThreadExecutesAnotherWhileTheyAreHeldAreNotForgotten) {
  std::filesystem::create_directory(build.path("first"));
  std::filesystem::create_symlink(THREADS_PROGRAM, build.path("first/cc1"));
  std::filesystem::create_directory(build.path("then"));
  std::filesystem::create_symlink(THREADS_PROGRAM, build.path("then/cc1"));
  const Answer answer =
      run("busy/cc1 4 & sleep 0.3; n=0; while [ $n -lt 16 ]; do n=$((n+1)); "
          "first/cc1 exec $((n*200)) ./then/cc1 write 1000 out$n & done; wait");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(stopped(), 0u);
  EXPECT_GE(number(answer, "runs"), 17) << answer.text;
  for (int at = 1; at <= 16; ++at) {
    EXPECT_TRUE(std::filesystem::exists(build.path("out" + std::to_string(at)))) << at;
  }
}

TEST_P(SpecialPrograms, HeldOnesGoOnWhereTheDaemonDrains) {
  CommandRunner running(
      watched("busy/cc1 50 & busy=$!; sleep 0.3; ./cc1 out; ./cc1 out2; kill $busy; wait"),
      folder.path(""));
  ASSERT_TRUE(eventually([&] { return stopped() == 1; }));
  EXPECT_EQ(answer_of(SLUICE_COMMAND " drain --socket " + daemon->socket()).status, 0);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(build.path("out2")); }));
  running.wait();
  const std::string said = "said: the daemon is draining: ";
  const std::size_t at = running.err().find(said);
  ASSERT_NE(at, std::string::npos) << running.err();
  EXPECT_EQ(running.err().find("draining", at + said.size()), std::string::npos)
      << "said once: " << running.err();
}

TEST_P(SpecialPrograms, AProgramThatIsExecutedTwiceIsOne) {
  const Answer answer = run("sh -c \"exec env ./cc1 out\"");
  EXPECT_EQ(number(answer, "runs"), 1) << answer.text;
}

TEST_P(SpecialPrograms, InAPidNamespaceTheyAreHeldToo) {
  if (answer_of("unshare -pf true").status != 0) GTEST_SKIP() << "SKIPPED: no pid namespaces";
  const Answer answer = beside_a_busy_one("unshare -pf ./cc1 out");
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
}

TEST_P(SpecialPrograms, InASandboxWithItsOwnProcTheyAreHeldToo) {
  if (is_missing("bwrap")) GTEST_SKIP() << "SKIPPED: bubblewrap is not installed";
  const std::string sandbox = "bwrap --dev-bind / / --unshare-pid --proc /proc ";
  if (answer_of(sandbox + "true").status != 0) GTEST_SKIP() << "SKIPPED: bwrap may not be used";
  const Answer answer = beside_a_busy_one(sandbox + "./cc1 out");
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
}

TEST_P(SpecialPrograms, BelowFakerootTheyAreHeldToo) {
  if (is_missing("fakeroot")) GTEST_SKIP() << "SKIPPED: fakeroot is not installed";
  expect_held(beside_a_busy_one("fakeroot ./cc1 out"));
}

TEST_P(SpecialPrograms, UnderASeccompFilterThatKillsTheyAreHeldAndLive) {
  ASSERT_EQ(answer_of(STATIC_PROGRAM " filtered true").status, 0);
  EXPECT_EQ(answer_of(STATIC_PROGRAM " filtered sh -c \"kill -0 $$\"").status, 128 + SIGSYS);
  // An interpreter may open a socket as it starts, to ask for the user's home folder.
  std::filesystem::create_directory(build.path("static"));
  std::filesystem::copy(STATIC_PROGRAM, build.path("static/cc1"));
  const Answer answer = beside_a_busy_one(STATIC_PROGRAM " filtered static/cc1 compute 1000 out");
  expect_held(answer);
}

TEST_P(SpecialPrograms, WhatASluiceRunBelowStartsHasThatPermit) {
  const Answer answer =
      run(std::string(SLUICE_COMMAND) + " run --socket " + daemon->socket() + " -- ./cc1 out");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "runs"), 0) << answer.text;
}

TEST_P(SpecialPrograms, WhatTheBuildLeavesBehindIsLetGoWithIt) {
  const Answer answer = run(
      "busy/cc1 100 >/dev/null 2>&1 & echo $! >busy.pid; sleep 0.3; "
      "(setsid sh -c \"echo \\$\\$ >left.pid; exec ./cc1 out\" &) >/dev/null 2>&1; "
      "until [ -s left.pid ] && grep -q State:.[Tt] /proc/$(cat left.pid)/status; do sleep 0.05; "
      "done");
  EXPECT_EQ(number(answer, "held"), 1) << answer.text;
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(build.path("out")); }));
  EXPECT_EQ(answer_of("kill $(cat " + build.path("busy.pid") + ")").status, 0);
}

}  // namespace
}  // namespace sluice::testing
