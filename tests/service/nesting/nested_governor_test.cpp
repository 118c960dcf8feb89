// Governors in a process of their own (`batch`, `demo`, `jobserver` without a daemon) on the permit
// of another governor. The permit is their ceiling, and they ask for more if there is a daemon to
// ask.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "nesting_fixture.h"

namespace sluice::testing {
namespace {

/// A window that would let everything run if the governor had the host to itself.
constexpr const char* kWideWindow =
    "window: {initial: 200, minimum: 200, maximum: 200}\n"
    "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
    "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off}\n";

/// The part of a line that makes memory irrelevant.
constexpr const char* kSmall = R"(, "memory": "1MiB")";

class NestedGovernor : public Nesting {
 protected:
  NestedGovernor() {
    write_file(config, kWideWindow);
    // Gives up after a while, so a failing test still ends.
    write_file(job, "n=0; echo + >>" + log + "\n" + "until [ `grep -c + " + log +
                        "` -ge $1 ] || [ $n -ge 500 ]; do n=$((n+1)); sleep 0.02; done\n" +
                        "sleep 0.05; echo - >>" + log + "\n");
  }

  /// A job that ends once this many have begun.
  std::string once_begun(int jobs) const { return "sh " + job + " " + std::to_string(jobs); }
  /// The same as `count` lines of a batch.
  std::string jobs(int count, int cost, const std::string& command,
                   const std::string& more = "") const {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += R"({"command": ")" + command + R"(", "cost": )" + std::to_string(cost) + more + "}\n";
    }
    return text;
  }
  std::string batch(const std::string& name, const std::string& text) const {
    write_file(folder.path(name), text);
    return std::string(SLUICE_COMMAND) + " batch -q --config " + config + " --state-dir " +
           folder.path("state") + " -f " + folder.path(name);
  }
  /// `sluice batch` as the only job of an outer batch, at this cost.
  std::string in_a_batch(int cost, const std::string& command, const std::string& more = "") const {
    return batch("outer", jobs(1, cost, command, more));
  }
  void expect_ended(int jobs) const {
    const std::string marks = contents_of(log);
    EXPECT_EQ(std::count(marks.begin(), marks.end(), '-'), jobs);
  }

  const std::string config = folder.path("wide.yaml");
  const std::string job = folder.path("job");
  const std::string log = folder.path("log");
};

TEST_F(NestedGovernor, ABatchInARunAsksTheDaemonForWhatItsPermitLacks) {
  // Four jobs must run at once, which takes the whole window.
  EXPECT_EQ(outcome(run(5, batch("inner", jobs(8, 5, once_begun(4))))), "");
  expect_ended(8);
  EXPECT_EQ(most_at_once(log), 4);
  expect_nothing_is_left();
}

TEST_F(NestedGovernor, WhereTheWindowIsFullABatchInARunHasItsPermit) {
  const std::string over = folder.path("over");
  const auto other = start(run(15, "sh -c 'until [ -e " + over + " ]; do sleep 0.02; done'"));
  ASSERT_TRUE(eventually([&] {
    return daemon.ask("GET", "/v1/status").body.find("\"usage\":15") != std::string::npos;
  }));
  EXPECT_EQ(outcome(run(5, batch("inner", jobs(6, 5, once_begun(1))))), "");
  write_file(over, "");
  EXPECT_EQ(end_of(*other), "");
  expect_ended(6);
  EXPECT_EQ(most_at_once(log), 1);
}

TEST_F(NestedGovernor, TwoBatchesInOneRunShareItsPermit) {
  const std::string both = file(batch("a", jobs(6, 5, once_begun(4))) + " &\n" +
                                batch("b", jobs(6, 5, once_begun(4))) + " &\nwait\n");
  EXPECT_EQ(outcome(run(20, "sh " + both)), "");
  expect_ended(12);
  EXPECT_EQ(most_at_once(log), 4);
  expect_nothing_is_left();
}

TEST_F(NestedGovernor, ABatchGoesOnAndEndsWithoutTheDaemonThatGaveItsPermit) {
  const auto all = start(run(5, batch("inner", jobs(8, 5, once_begun(4)))));
  ASSERT_TRUE(eventually([&] { return contents_of(log).find('+') != std::string::npos; }));
  daemon.stop();
  all->wait();
  expect_ended(8);
  EXPECT_LE(most_at_once(log), 4);
}

TEST_F(NestedGovernor, AJobserverInARunGetsTokensOfTheDaemon) {
  const std::string makefile = file("all: ; @echo $$SLUICE_PERMIT_POINTS\n");
  const std::string jobserver =
      std::string(SLUICE_COMMAND) + " jobserver -v -- make -f " + makefile;
  const auto made = start(run(20, jobserver));
  EXPECT_EQ(end_of(*made), "10\n");
  EXPECT_NE(made->err().find("from the daemon"), std::string::npos) << made->err();
  expect_nothing_is_left();
}

TEST_F(NestedGovernor, AJobserverInARunGetsTokensOfTheDaemonThoughItHasAConfiguration) {
  const std::string makefile = file("all: ; @echo $$SLUICE_PERMIT_POINTS\n");
  const std::string jobserver =
      std::string(SLUICE_COMMAND) + " jobserver -v --config " + config + " -- make -f " + makefile;
  const auto made = start(run(20, jobserver));
  EXPECT_EQ(end_of(*made), "10\n");
  EXPECT_NE(made->err().find("from the daemon"), std::string::npos) << made->err();
  EXPECT_NE(made->err().find("ignoring --config and --state-dir"), std::string::npos)
      << made->err();
  expect_nothing_is_left();
}

TEST_F(NestedGovernor, ABatchInABatchHasThePointsOfItsJob) {
  EXPECT_EQ(outcome(in_a_batch(5, batch("inner", jobs(6, 5, once_begun(1))))), "");
  expect_ended(6);
  EXPECT_EQ(most_at_once(log), 1);
}

TEST_F(NestedGovernor, AllThatFitInTheJobRunAtOnce) {
  EXPECT_EQ(outcome(in_a_batch(20, batch("inner", jobs(8, 5, once_begun(4), kSmall)))), "");
  expect_ended(8);
  EXPECT_EQ(most_at_once(log), 4);
}

TEST_F(NestedGovernor, ABatchInABatchHasTheMemoryOfItsJob) {
  const std::string inner = batch("inner", jobs(6, 1, once_begun(2), R"(, "memory": "40MiB")"));
  EXPECT_EQ(outcome(in_a_batch(50, inner, R"(, "memory": "100MiB")")), "");
  expect_ended(6);
  EXPECT_EQ(most_at_once(log), 2);
}

TEST_F(NestedGovernor, AJobThatIsLargerThanThePermitRunsAlone) {
  const std::string inner = batch("inner", jobs(3, 100, once_begun(1), R"(, "memory": "1GiB")"));
  EXPECT_EQ(outcome(in_a_batch(5, inner, R"(, "memory": "100MiB")")), "");
  expect_ended(3);
  EXPECT_EQ(most_at_once(log), 1);
}

TEST_F(NestedGovernor, WhatFitsInThePermitRunsWhileTheInnerGovernorIsRed) {
  const std::string inner = batch("inner", jobs(4, 5, once_begun(2), kSmall));
  const std::string red = folder.path("red.yaml");
  write_file(red,
             "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
             "          io_pressure: off, cgroup: off, pids: off, starting: off,\n"
             "          disk: {paths: [/], limit: 99%}}\n");
  const std::string nested = std::string(SLUICE_COMMAND) + " batch -q --config " + red +
                             " --state-dir " + folder.path("state") + " -f " + folder.path("inner");
  EXPECT_EQ(outcome(in_a_batch(10, nested)), "");
  expect_ended(4);
  EXPECT_EQ(most_at_once(log), 2);
}

TEST_F(NestedGovernor, AnInterruptedBatchStartsNoMoreOfWhatFits) {
  const std::string inner = batch("inner", jobs(6, 5, once_begun(100)));
  const auto all = start("SLUICE_PERMIT_POINTS=5 exec " + inner);
  ASSERT_TRUE(eventually([&] { return contents_of(log).find('+') != std::string::npos; }));
  kill(all->pid(), SIGTERM);
  all->wait();
  const std::string marks = contents_of(log);
  EXPECT_EQ(std::count(marks.begin(), marks.end(), '+'), 1);
}

TEST_F(NestedGovernor, AJobserverHasNoMoreThanItsPermit) {
  const std::string makefile = file(
      "all: 1 2 3 4 5 6 7 8 9 10 11 12\n1 2 3 4 5 6 7 8 9 10 11 12:\n"
      "\t@echo + >>" +
      log + "; sleep 0.3; echo - >>" + log + "\n");
  const std::string made = std::string(SLUICE_COMMAND) + " jobserver --config " + config +
                           " --state-dir " + folder.path("state") + " -- make -s -f " + makefile;
  EXPECT_EQ(outcome(made), "") << "the first time nothing is known";
  write_file(log, "");
  EXPECT_EQ(outcome("SLUICE_PERMIT_POINTS=3 " + made), "");
  expect_ended(12);
  EXPECT_LE(most_at_once(log), 3);
}

TEST_F(NestedGovernor, ACommandIsToldWhatItsPermitHolds) {
  const std::string told = "sh -c 'echo $SLUICE_PERMIT_POINTS $SLUICE_PERMIT_SOCKET'";
  EXPECT_EQ(outcome(run(7, told)), "7 " + daemon.socket() + "\n");
  EXPECT_EQ(outcome(run(7, run(9, told))), "7 " + daemon.socket() + "\n")
      << "an only child has what its parent has";
  EXPECT_EQ(outcome(in_a_batch(4, "echo $SLUICE_PERMIT_POINTS:$SLUICE_PERMIT_MEMORY",
                               R"(, "memory": "1MiB")")),
            "4:1048576\n");
}

TEST_F(NestedGovernor, ACommandThatHasWaitedIsToldWhatItsPermitHolds) {
  const std::string over = folder.path("over");
  const auto other = start(run(20, "sh -c 'until [ -e " + over + " ]; do sleep 0.02; done'"));
  ASSERT_TRUE(eventually([&] {
    return daemon.ask("GET", "/v1/status").body.find("\"usage\":20") != std::string::npos;
  }));
  write_file(folder.path("waits"), jobs(1, 4, "echo $SLUICE_PERMIT_POINTS:$SLUICE_PERMIT_MEMORY",
                                        R"(, "memory": "1MiB")"));
  const auto waits = start(std::string(SLUICE_COMMAND) + " batch -q --socket " + daemon.socket() +
                           " -f " + folder.path("waits"));
  ASSERT_TRUE(eventually([&] {
    return daemon.ask("GET", "/v1/status").body.find("\"pending\":1") != std::string::npos;
  }));
  // Its first answer, that it waits, comes after 100 ms.
  const std::string both = R"({op="submit",code="201"} 2)";
  ASSERT_TRUE(eventually(
      [&] { return daemon.ask("GET", "/metrics").body.find(both) != std::string::npos; }));
  write_file(over, "");
  EXPECT_EQ(end_of(*waits), "4:1048576\n");
  EXPECT_EQ(end_of(*other), "");
}

}  // namespace
}  // namespace sluice::testing
