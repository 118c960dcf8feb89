// Builds by real programs that stand still because something waits for a program that is held.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "installed.h"
#include "sluice/units.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

/// Room for one compile, while something else waits for one that is held.
class StalledBuild : public WatchedBuild {
 protected:
  StalledBuild() : WatchedBuild(kOneAtOnce) {
    add_program("produce/cc1",
                "#!/usr/bin/env python3\n"
                "import sys, time\n"
                "open('started', 'w').close()\n"
                "time.sleep(0.3)\n"
                "sys.stdout.write('x' * 1000000)\n");
    add_program("consume/cc1",
                "#!/usr/bin/env python3\nimport sys, time\ntime.sleep(0.3)\nsys.stdin.read()\n");
    add_lock_programs();
  }
  /// The first program runs: its permit is the only one.
  const std::string kWhenStarted = "until [ -e started ]; do sleep 0.02; done; ";

  /// Ends, since what is held goes on once the build stands still: otherwise it stands still for
  /// good, or until it has had no permit for 30 s.
  Answer run_to_its_end(const std::string& line) const {
    const Duration alone = time_without_sluice(line);
    const TimePoint began = Clock::now();
    Answer answer = run(line);
    // A loaded machine may take several times as long for the same.
    EXPECT_LT(Clock::now() - began, 10 * alone + kMostAdded) << answer.text;
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_EQ(answer.text.find("the build has had none for 30 s"), std::string::npos)
        << answer.text;
    EXPECT_EQ(times_said_to_go_on(answer), number(answer, "stall")) << answer.text;
    return answer;
  }
  /// Sluice adds at most five seconds: the time for which the build stands still. The tests of
  /// Liveness show, in counted looks, that one goes on within one and a quarter.
  static void expect_few_stalls(const Answer& answer) {
    EXPECT_GE(number(answer, "stall"), 1) << answer.text;
    EXPECT_LE(number(answer, "stall") * std::chrono::milliseconds(1250), kMostAdded) << answer.text;
    EXPECT_EQ(number(answer, "clock"), 0) << answer.text;
  }

 private:
  static constexpr std::chrono::seconds kMostAdded{5};

  Duration time_without_sluice(const std::string& line) const {
    const TimePoint began = Clock::now();
    const Answer answer = answer_of("cd " + build.path("") + " && timeout 60 sh -c '" + line + "'");
    EXPECT_EQ(answer.status, 0) << answer.text;
    for (const char* left : {"started", "taken", "p"}) std::filesystem::remove(build.path(left));
    return Clock::now() - began;
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, StalledBuild, ::testing::Values("best", "proc"));

TEST_P(StalledBuild, GoesOnWhereAPipelineHasRoomForOneOfItsTwoPrograms) {
  const Answer answer = run_to_its_end("produce/cc1 | consume/cc1");
  expect_few_stalls(answer);
  EXPECT_TRUE(all_returned());
}

TEST_P(StalledBuild, StartsAllUnlistedStagesOfAPipelineOfWhichOneRuns) {
  for (const std::string name : {"produce", "consume"}) {
    std::filesystem::copy_file(build.path(name + "/cc1"), build.path(name + "/step"));
  }
  const Answer answer =
      run_to_its_end("for i in 1 2; do produce/step | consume/step | consume/step; done");
  EXPECT_EQ(number(answer, "stall"), 0) << answer.text;
  EXPECT_GE(number(answer, "pipeline"), 2) << answer.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(StalledBuild, GoesOnWhereADriverWaitsForOneProgramBeforeItReadsWhatAnotherWrites) {
  const Answer answer = run_to_its_end("mkfifo p; (produce/cc1 >p) & exec 3<p; " + kWhenStarted +
                                       "./cc1 out; cat <&3 >/dev/null; wait");
  expect_few_stalls(answer);
}

TEST_P(StalledBuild, StartsAllWorkersOfAProgramThatWaitsForAllOfThem) {
  add_program("worker",
              "#!/usr/bin/env python3\n"
              "import sys, time\n"
              "time.sleep(1)\n"  // On a loaded machine it may be seen and held late.
              "print('ready', flush=True)\n"
              "sys.stdin.read()\n");
  add_program("pool",
              "#!/usr/bin/env python3\n"
              "import subprocess, time\n"
              "time.sleep(0.2)\n"
              "pipe = subprocess.PIPE\n"
              "workers = [subprocess.Popen(['./worker'], stdin=pipe, stdout=pipe)\n"
              "           for _ in range(6)]\n"
              "for each in workers: each.stdout.readline()\n"
              "for each in workers: each.stdin.close()\n"
              "for each in workers: each.wait()\n");
  const Answer answer = run_to_its_end("./pool");
  EXPECT_GE(number(answer, "stall"), 4) << answer.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(StalledBuild, GoesOnWhereWhatIsHeldHasALock) {
  const Answer answer =
      run_to_its_end("file/cc1 & " + kWhenStarted + "file/flock ./cc1 out & wait");
  expect_few_stalls(answer);
}

TEST_P(StalledBuild, GoesOnWhereTheRealFlockHasALockForWhatIsHeld) {
  if (is_missing("flock")) GTEST_SKIP() << "SKIPPED: flock is not installed";
  add_program("wait/cc1",
              "#!/usr/bin/env python3\n"
              "import os, subprocess, sys, time\n"
              "open('started', 'w').close()\n"
              "until = time.monotonic() + 20\n"
              "while not os.path.exists('taken') and time.monotonic() < until: time.sleep(0.01)\n"
              "sys.exit(subprocess.run(['flock', 'lock', 'true']).returncode)\n");
  const Answer answer =
      run_to_its_end("wait/cc1 & waits=$!; " + kWhenStarted +
                     "flock lock sh -c \"echo >taken; exec ./cc1 out\" && wait $waits");
  expect_few_stalls(answer);
}

TEST_P(StalledBuild, RunsTwoCompilesOfWhichTheRealFlockStartsOneAtATime) {
  if (is_missing("flock")) GTEST_SKIP() << "SKIPPED: flock is not installed";
  const Answer answer =
      run_to_its_end("flock lock ./cc1 first & first=$!; flock lock ./cc1 second && wait $first");
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
  EXPECT_EQ(number(answer, "stall"), 0) << answer.text;
}

TEST_P(StalledBuild, GoesOnWhereWhatIsHeldHasALockOfAnOpenFile) {
  const Answer answer = run_to_its_end("ofd/cc1 & " + kWhenStarted + "ofd/flock ./cc1 out & wait");
  expect_few_stalls(answer);
}

TEST_P(StalledBuild, RunsWhatAProgramThatHasWaitedStartsOnThatPermit) {
  add_program("tool",
              "#!/usr/bin/env python3\n"
              "import subprocess, time\n"
              "until = time.monotonic() + 0.3\n"
              "while time.monotonic() < until: sum(range(200000))\n"
              "subprocess.run(['./cc1', 'out'], check=True)\n");
  const Answer answer = run("TAKES=2 ./cc1 first & sleep 0.2; ./tool; wait");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
  EXPECT_EQ(number(answer, "stall"), 0) << answer.text;
  EXPECT_TRUE(std::filesystem::exists(build.path("out")));
}

TEST_P(StalledBuild, WaitsWhereARunningProgramComputes) {
  add_program("busy/cc1",
              "#!/usr/bin/env python3\n"
              "import time\n"
              "until = time.monotonic() + 3\n"
              "while time.monotonic() < until: pass\n");
  const Answer answer = run("busy/cc1 & sleep 0.2; ./cc1 out; wait");
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(number(answer, "stall"), 0) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
}

}  // namespace
}  // namespace sluice::testing
