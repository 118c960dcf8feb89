// Builds by real programs, watched by a process of their own, under a real daemon.
#include "recognition/build_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/process_table.h"
#include "command_runner.h"
#include "contents.h"
#include "real_cgroup.h"
#include "recognition/process_follower.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

/// The process that continues what signals have stopped; 0 if there is none.
pid_t guard() {
  const auto processes = read_processes();
  const auto name_of = [](pid_t process) {
    return contents_of("/proc/" + std::to_string(process) + "/comm");
  };
  // The build adopts it where the kernel sends no events, as in a PID namespace.
  const auto is_adopter = [&](pid_t process) {
    return process == getpid() || std::ranges::any_of(processes, [&](const ProcessFacts& each) {
             return each.pid == process && each.parent == getpid() &&
                    name_of(process) == "watched_build\n";
           });
  };
  for (const ProcessFacts& each : processes) {
    if (!each.is_alive() || name_of(each.pid) != "sluice-guard\n") continue;
    if (is_adopter(each.parent)) return each.pid;
  }
  return 0;
}

INSTANTIATE_TEST_SUITE_P(Sources, WatchedBuild, ::testing::Values("best", "proc", "signals"));

TEST_P(WatchedBuild, OfMakeRunsAsManyCompilersAsFitAndHoldsTheOthers) {
  add_makefile(8);
  // On a loaded machine a turn of reading /proc may come late.
  setenv("SEEN_WITHIN", "1.5", 1);
  const Answer built = run("make -s -j8");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(build.use().all, 8);
  EXPECT_EQ(build.use().most, 2) << built.text;
  EXPECT_EQ(number(built, "runs"), 8) << built.text;
  EXPECT_EQ(number(built, "most_held"), 6) << built.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(WatchedBuild, OfBriefCompilersAsksForFew) {
  std::filesystem::copy_file("/bin/sleep", build.path("cc1"),
                             std::filesystem::copy_options::overwrite_existing);
  const Answer built = run("for i in $(seq 200); do ./cc1 0.005 || exit 1; done");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_LT(number(built, "runs"), 150) << built.text;
}

TEST_P(WatchedBuild, GoesOnWhenTheDaemonIsKilled) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  CommandRunner making(watched("make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6; }));
  daemon->destroy();
  EXPECT_EQ(WEXITSTATUS(making.wait()), 0) << making.err();
  EXPECT_EQ(build.use().all, 8);
  EXPECT_NE(making.err().find("said: the daemon is gone: the build continues"), std::string::npos)
      << making.err();
  EXPECT_EQ(stopped(), 0u);
}

TEST_P(WatchedBuild, KilledItselfItLeavesNothingStoppedAndNoPermit) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  // Its orphans come to this process. Otherwise the kernel hangs up their process group, which
  // continues them too.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  CommandRunner making(watched("make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6 && stopped() >= 6; }));
  kill(making.pid(), SIGKILL);
  making.wait();
  EXPECT_TRUE(eventually([&] { return stopped() == 0; }));
  EXPECT_TRUE(all_returned());
  EXPECT_TRUE(eventually([&] { return build.use().all == 8; })) << "the build goes on";
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

class BuildWatchedByTrace : public WatchedBuild {};

INSTANTIATE_TEST_SUITE_P(Sources, BuildWatchedByTrace, ::testing::Values("best", "proc"));

TEST_P(BuildWatchedByTrace, KilledWithAllThatIsNotOfTheBuildItLeavesNothingStopped) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  CommandRunner making(watched("make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6 && stopped() >= 6; }));
  // The daemon has one, too.
  if (const pid_t other = guard(); other > 0) kill(other, SIGKILL);
  daemon->kill(SIGSTOP);
  kill(making.pid(), SIGKILL);
  daemon->destroy();
  making.wait();
  EXPECT_TRUE(eventually([&] { return stopped() == 0; }));
  EXPECT_TRUE(eventually([&] { return build.use().all == 8; })) << "the build goes on";
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

class BuildWatchedBySignals : public WatchedBuild {};

INSTANTIATE_TEST_SUITE_P(Sources, BuildWatchedBySignals, ::testing::Values("signals"));

TEST_P(BuildWatchedBySignals, KilledAfterItsGuardItLeavesNothingStopped) {
  add_makefile(8);
  setenv("TAKES", "0.5", 1);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // The guard becomes a child of this process.
  CommandRunner making(watched("make -s -j8"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return daemon->count("pending") >= 6 && stopped() >= 6; }));
  const pid_t first = guard();
  ASSERT_GT(first, 0);
  kill(first, SIGKILL);
  EXPECT_TRUE(eventually([&] {
    const pid_t next = guard();
    return next > 0 && next != first;
  }));
  kill(making.pid(), SIGKILL);
  making.wait();
  EXPECT_TRUE(eventually([&] { return stopped() == 0; }));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_P(WatchedBuild, OfARealCompilerLearnsEachSource) {
  // Long enough to be seen in /proc, too.
  build.add_sources({"alpha", "beta"});
  for (const char* name : {"alpha", "beta", "main"}) {
    std::string text = contents_of(build.path(name + std::string(".c")));
    for (int at = 0; at < 800; ++at) {
      text += "int f" + std::to_string(at) + "_" + name + "(int a) { return a * a + " +
              std::to_string(at) + "; }\n";
    }
    write_file(build.path(name + std::string(".c")), text);
  }
  const Answer built = run("make -s -j8 CC=gcc CFLAGS=-O2");
  ASSERT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(run("./prog").status, 0);
  EXPECT_TRUE(all_returned());
  daemon->kill(SIGTERM);
  eventually([&] { return gone(daemon->pid()); });
  const Answer known =
      answer_of(SLUICE_COMMAND " history --json --state-dir " + folder.path("daemon/state"));
  for (const char* key : {"\"cc1:alpha.c:", "\"cc1:beta.c:", "\"cc1:main.c:"}) {
    EXPECT_NE(known.text.find(key), std::string::npos) << key << " in " << known.text;
  }
}

/// A wide window behind the only sensor, which is always red.
std::string behind_red(const std::string& sensor) {
  return "window: {law: adaptive, initial: 1000, minimum: 1000, maximum: 1000}\n"
         "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
         "          io_pressure: off, cgroup: off, disk: off, starting: off,\n          " +
         sensor + "}\n";
}

/// No job fits at all, as where held processes take what there is.
class BuildWithoutRoom : public WatchedBuild {
 protected:
  BuildWithoutRoom() : WatchedBuild(behind_red("pids: {headroom: 4194304}").c_str()) {}
};

/// The configuration pauses the queue, as an operator may.
class PausedBuild : public WatchedBuild {
 protected:
  PausedBuild() : WatchedBuild("queues: {default: {paused: true}}\n") {}
};

INSTANTIATE_TEST_SUITE_P(Sources, PausedBuild, ::testing::Values("best"));

TEST_P(PausedBuild, StartsNothingThoughNobodyElseRuns) {
  const Answer answer = run("timeout 4 ./cc1 out");
  EXPECT_NE(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
  EXPECT_EQ(number(answer, "stall"), 0) << answer.text;
}

INSTANTIATE_TEST_SUITE_P(Sources, BuildWithoutRoom, ::testing::Values("best"));

TEST_P(BuildWithoutRoom, GoesOnWhereNobodyElseRuns) {
  const Answer answer = run("./cc1 out");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
  EXPECT_EQ(number(answer, "stall"), 1) << answer.text;
  EXPECT_EQ(times_said_to_go_on(answer), 1) << answer.text;
}

/// A memory group in which two of five compiles fit. The daemon is in it, too.
class ShortOfMemory : public WatchedBuild {
 protected:
  static constexpr int kLimit = 750 << 20;

  ShortOfMemory()
      : WatchedBuild("sensors: {load: off, cpu_pressure: off, io_pressure: off, disk: off}\n") {}

  void SetUp() override {
    if (!group.problem().empty()) GTEST_SKIP() << group.problem();
    ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(kLimit)));
    group.write("memory.memsw.limit_in_bytes", std::to_string(kLimit));
    daemon->destroy();
    ASSERT_TRUE(group.write("cgroup.procs", std::to_string(getpid())));
    daemon->start();
    add_program("cc1",
                "#!/usr/bin/env python3\n"
                "import sys, time\n"
                "held = []\n"
                "for step in range(25):\n"
                "    held.append(b'x' * (10 << 20))\n"
                "    time.sleep(0.02)\n"
                "time.sleep(0.3)\n"
                "open(sys.argv[-1], 'w').close()\n");
    add_makefile(5);
  }
  void TearDown() override {
    daemon.reset();
    write_file("/sys/fs/cgroup/memory/cgroup.procs", std::to_string(getpid()));
  }

  /// In the group: other tests have processes killed at the same time.
  int kills() const {
    std::ifstream control(group.folder() + "/memory.oom_control");
    for (std::string name; control >> name;) {
      int number = 0;
      control >> number;
      if (name == "oom_kill") return number;
    }
    ADD_FAILURE() << "the kernel does not count kills in a group";
    return 0;
  }

  RealCgroup group{"memory"};
};

INSTANTIATE_TEST_SUITE_P(Sources, ShortOfMemory, ::testing::Values("best", "proc"));

TEST_P(ShortOfMemory, ABuildLosesNoCompile) {
  daemon->destroy();  // The kernel might take it instead of a compile.
  const Answer alone = answer_of("cd " + build.path("") + " && make -s -k -j5");
  daemon->start();
  ASSERT_NE(alone.status, 0) << "there is too little for all";
  const int before = kills();
  ASSERT_GT(before, 0);
  const Answer built = run("rm -f o*; make -s -j5");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(kills(), before) << built.text;
  EXPECT_EQ(number(built, "runs"), 5) << built.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(ShortOfMemory, WhatTheKernelKillsIsKnownToBeKilled) {
  if (std::string(GetParam()) != "best" ||
      !ProcessFollower(getpid(), ProcessSource::best).has_events_of_kernel()) {
    GTEST_SKIP() << "only the kernel's events tell";
  }
  add_program("cc1", "#!/usr/bin/env python3\nb = b'x' * (1000 << 20)\n");
  const Answer built = run("./cc1 out");
  EXPECT_NE(built.status, 0);
  EXPECT_EQ(number(built, "killed"), 1) << built.text;
}

TEST_P(ShortOfMemory, WhatTheKernelKillsOnceTheDaemonIsGoneIsKnownToBeKilled) {
  if (std::string(GetParam()) != "best" ||
      !ProcessFollower(getpid(), ProcessSource::best).has_events_of_kernel()) {
    GTEST_SKIP() << "only the kernel's events tell";
  }
  add_program("cc1",
              "#!/usr/bin/env python3\n"
              "import os, time\n"
              "while not os.path.exists('gone'): time.sleep(0.01)\n"
              "b = b'x' * (1000 << 20)\n");
  CommandRunner making(watched("./cc1 a.c; until [ -e gone ]; do sleep 0.01; done; ./cc1 b.c"),
                       folder.path(""));
  ASSERT_TRUE(eventually([&] { return daemon->count("running") == 1; }));
  daemon->destroy();
  ASSERT_TRUE(
      eventually([&] { return making.err().find("the daemon is gone") != std::string::npos; }));
  write_file(build.path("gone"), "");
  EXPECT_NE(making.wait(), 0);
  EXPECT_EQ(number({0, making.err()}, "killed"), 2) << "one began before, one after";
}

}  // namespace
}  // namespace sluice::testing
