#include "recognition/ungoverned_runs.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "contents.h"
#include "fixture.h"

namespace sluice::testing {
namespace {

/// Two runs, and a host that counts what its kernel kills.
class UngovernedRunsOfAHost : public ::testing::Test {
 protected:
  UngovernedRunsOfAHost() {
    std::filesystem::create_directories(folder.path("proc/self"));
    write_file(folder.path("proc/self/mountinfo"), "");
    put_kills(1);
    for (const pid_t process : {7, 8}) {
      runs.add(process, {"cc1 " + std::to_string(process), HolderUsage(now, Duration{0}),
                         kills.mark(process, now)});
    }
  }
  void put_kills(int count) const {
    write_file(folder.path("proc/vmstat"), "oom_kill " + std::to_string(count) + "\n");
  }
  void end(pid_t process, int status) {
    runs.ended(process, {.status = status}, kills, record, now);
  }

  TemporaryFolder folder;
  KillCounter kills{HostPaths{folder.path("")}};
  const TimePoint now = TimePoint{} + std::chrono::hours(1);
  BuildRecord record{2, "build-1-"};
  UngovernedRuns runs;
};

TEST_F(UngovernedRunsOfAHost, NamesThoseThatTheKernelKillsForMemory) {
  put_kills(2);
  end(7, SIGKILL);
  end(8, 0);
  end(9, SIGKILL);
  const BuildReport report = record.report(now);
  ASSERT_EQ(report.killed_for_memory.size(), 1u);
  EXPECT_EQ(report.killed_for_memory[0].name, "cc1 7");
  EXPECT_EQ(report.runs, 0u);
  EXPECT_EQ(runs.due(), std::nullopt) << "none is left to be measured";
}

TEST_F(UngovernedRunsOfAHost, NamesNoneThatSomebodyElseKills) {
  end(7, SIGKILL);
  EXPECT_TRUE(record.report(now).killed_for_memory.empty());
}

TEST_F(UngovernedRunsOfAHost, ForgetsTheOneThatADaemonKnowsAgain) {
  runs.remove(7);
  put_kills(2);
  end(7, SIGKILL);
  EXPECT_TRUE(record.report(now).killed_for_memory.empty());
}

TEST_F(UngovernedRunsOfAHost, GoesOnMeasuringTheirMemory) {
  runs.add(getpid(), {"cc1 self", HolderUsage(now, Duration{0}), kills.mark(getpid(), now)});
  ASSERT_TRUE(runs.due());
  runs.measure(*runs.due());
  put_kills(2);
  end(getpid(), SIGKILL);
  const BuildReport report = record.report(now);
  ASSERT_EQ(report.killed_for_memory.size(), 1u);
  EXPECT_GT(report.killed_for_memory[0].peak, Bytes{0});
}

}  // namespace
}  // namespace sluice::testing
