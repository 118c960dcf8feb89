// Commands under `sluice-launch` while memory is short, and what the kernel kills for memory.
#include "held_back.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/process_table.h"
#include "client/answer.h"
#include "command_runner.h"
#include "fixture.h"
#include "real_cgroup.h"
#include "shell.h"

namespace sluice::testing {
namespace {

/// Two commands, the older first, whose children count for ever.
class LaunchHeldBack : public HeldBack {
 protected:
  LaunchHeldBack() : HeldBack("sluice-launch") {
    unsetenv("SLUICE_PERMIT");
    setenv("SLUICE_SOCKET", daemon.socket().c_str(), 1);
    // The shell that counts is a child of the launcher's child.
    const std::string inner = "while :; do echo .; sleep 0.01; done";
    const std::string outer = "echo $$; trap 'kill $inner; echo asked; exit 3' TERM; (" + inner +
                              ") & inner=$!; echo $inner; wait";
    start({std::string(SLUICE_LAUNCH), "/bin/sh", "-c", outer});
  }
};

TEST_F(LaunchHeldBack, TheYoungerStandsStillWithAllItStartedAndGoesOn) {
  run_short();
  EXPECT_FALSE(counts(*younger));
  EXPECT_TRUE(counts(*elder));
  used = 100;
  ASSERT_TRUE(eventually([&] { return has(younger->err(), "sluice-launch: resumed\n"); }));
  EXPECT_TRUE(eventually([&] { return counts(*younger); }));
}

TEST_F(LaunchHeldBack, AskedToEndItHears) {
  run_short();
  kill(younger->pid(), SIGTERM);
  EXPECT_EQ(WEXITSTATUS(younger->wait()), 3);
  EXPECT_TRUE(has(younger->out(), "asked"));
}

TEST_F(LaunchHeldBack, ItGoesOnWhenTheDaemonIsGone) {
  run_short();
  daemon.stop();
  EXPECT_TRUE(eventually([&] { return counts(*younger); }));
}

TEST_F(LaunchHeldBack, KilledItLeavesNothingStoppedBehind) {
  run_short();
  std::istringstream pids(younger->out());
  pid_t command = 0, inner = 0;
  pids >> command >> inner;
  ASSERT_FALSE(gone(command));
  kill(younger->pid(), SIGKILL);
  younger->wait();
  EXPECT_TRUE(eventually([&] { return gone(command) && gone(inner); }));
}

/// A memory group of 100 MiB, in which a launcher starts what needs more.
class LaunchKilled : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!group.problem().empty()) GTEST_SKIP() << group.problem();
    if (!read_host_oom_kills()) GTEST_SKIP() << "the kernel counts no OOM kills";
    unsetenv("SLUICE_PERMIT");
    setenv("SLUICE_SOCKET", daemon.socket().c_str(), 1);
    ASSERT_TRUE(group.write("memory.limit_in_bytes", std::to_string(100 << 20)));
    group.write("memory.swappiness", "0");
  }

  Answer run(const std::string& script) {
    return answer_of("echo $$ > " + group.folder() + "/cgroup.procs && exec " +
                     std::string(SLUICE_LAUNCH) + " " + script);
  }
  std::string job(int number = 1) const {
    return daemon.ask("GET", "/v1/jobs/" + std::to_string(number)).body;
  }

  RealCgroup group{"memory"};
  const RunningDaemon daemon;
};

const std::string kGreedy = "python3 -c 'b = b\"x\" * (400 << 20)'";

TEST_F(LaunchKilled, ForMemoryItIsAnOom) {
  const Answer killed = run(kGreedy);
  const std::regex about_100(
      R"(sluice-launch: the kernel killed it: out of memory at ([5-9]|1[0-4])\d\.\d MiB)");
  EXPECT_TRUE(std::regex_search(killed.text, about_100)) << killed.text;
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
  EXPECT_TRUE(has(job(), R"("oom_kills":1)")) << job();
}

TEST_F(LaunchKilled, BelowADriverThatExitsItIsAnOomToo) {
  const Answer failed = run("sh -c \"$(cat <<'X'\n" + kGreedy + " || exit 1\nX\n)\"");
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
}

TEST_F(LaunchKilled, ByAUserItIsAFailure) {
  run("sh -c 'kill -9 $$'");
  EXPECT_TRUE(has(job(), R"("outcome":"failed")")) << job();
  EXPECT_TRUE(has(job(), R"("oom_kills":0)")) << job();
}

/// A compiler that needs too much in its first run only, and records each.
class LaunchRetries : public LaunchKilled {
 protected:
  void SetUp() override {
    LaunchKilled::SetUp();
    if (HasFatalFailure() || IsSkipped()) return;
    std::ofstream(compiler()) << "#!/bin/sh\n"
                                 "echo run >> "
                              << runs() << "\n[ $(wc -l < " << runs() << ") = 1 ] || exit 0\nexec "
                              << kGreedy << "\n";
    chmod(compiler().c_str(), 0755);
  }

  std::string compiler() const { return folder.path("gcc"); }
  std::string runs() const { return folder.path("runs"); }
  std::string times() const {
    std::ifstream file(runs());
    return std::to_string(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }

  const TemporaryFolder folder;
};

TEST_F(LaunchRetries, ACompileThatWasKilledRunsOnceMoreWithTheWholeWindow) {
  const Answer ran = run("--retry-killed " + compiler() + " -c a.c");
  EXPECT_TRUE(has(ran.text, "sluice-launch: it runs once more, when no other job does"))
      << ran.text;
  EXPECT_EQ(times(), "2");
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
  const auto all = read_largest_window({200, daemon.ask("GET", "/v1/status").body});
  ASSERT_TRUE(all);
  EXPECT_TRUE(has(job(2), "\"cost\":" + std::to_string(all->value))) << job(2);
  EXPECT_TRUE(has(job(2), R"("outcome":"ok")")) << job(2);
}

TEST_F(LaunchRetries, TheEnvironmentAsksForItToo) {
  setenv("SLUICE_RETRY_KILLED", "1", 1);
  run(compiler() + " -c a.c");
  unsetenv("SLUICE_RETRY_KILLED");
  EXPECT_TRUE(has(job(2), R"("outcome":"ok")")) << job(2);
}

TEST_F(LaunchRetries, UnlessAskedItFails) {
  run(compiler() + " -c a.c");
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
  EXPECT_EQ(times(), "1");
}

TEST_F(LaunchRetries, WhatReadsStandardInputRunsOnce) {
  run("--retry-killed " + compiler() + " -xc -c - < /dev/null");
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
  EXPECT_EQ(times(), "1");
}

TEST_F(LaunchRetries, ACommandOfAnotherKindRunsOnce) {
  const std::string script = folder.path("deploy");
  rename(compiler().c_str(), script.c_str());
  run("--retry-killed " + script);
  EXPECT_TRUE(has(job(), R"("outcome":"oom")")) << job();
  EXPECT_EQ(times(), "1");
}

TEST_F(LaunchRetries, KilledAloneItFails) {
  std::ofstream(compiler()) << "#!/bin/sh\necho run >> " << runs() << "\nexec " << kGreedy << "\n";
  run("--retry-killed " + compiler() + " -c a.c");
  EXPECT_TRUE(has(job(2), R"("outcome":"oom")")) << job(2);
  EXPECT_EQ(times(), "2");
}

}  // namespace
}  // namespace sluice::testing
