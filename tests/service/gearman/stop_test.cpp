// An executor that is told to end, against a real gearmand.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "gearman_world.h"
#include "notify_listener.h"

namespace sluice::gearman {
namespace {
using namespace sluice::testing;
using Counts = Gearmand::Counts;

class GearmanStop : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = Gearmand::missing();
    if (!missing.empty()) GTEST_SKIP() << missing << ": gearman-job-server, gearman-tools";
    server = std::make_unique<Gearmand>();
  }

  std::string effects() const { return folder.path("effects"); }
  bool began(int jobs) const {
    return eventually([&] { return lines_in(effects()) == jobs; });
  }
  /// Writes a line and then waits until released.
  std::string patient() const {
    return "echo x >> " + effects() + "; while [ ! -e " + folder.path("go") +
           " ]; do sleep 0.02; done; echo done";
  }
  void let_go() const { write_file(folder.path("go"), ""); }

  TemporaryFolder folder;
  std::unique_ptr<Gearmand> server;
};

int exit_status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

bool says(const GearmanExecutor& executor, const std::string& text) {
  return eventually([&] { return executor.log().find(text) != std::string::npos; });
}

TEST_F(GearmanStop, WhatRunsIsSeenThroughAndNothingNewIsTaken) {
  GearmanExecutor executor(
      GearmanExecutor::worker(*server, patient(), ", always: {also: [/bin/echo, here]}"), 40);
  Submission job(*server, "work", "");
  ASSERT_TRUE(began(1));
  executor.tell(SIGTERM);
  ASSERT_TRUE(says(executor, "draining: 1 job of its own runs, ends within 1 h 00 min"));
  ASSERT_TRUE(eventually([&] { return server->counts("also").workers == 0; }));
  Submission later(*server, "work", "", "-b"), also(*server, "also", "", "-b");
  EXPECT_EQ(exit_status_of(later.wait()), 0);
  EXPECT_EQ(exit_status_of(also.wait()), 0);
  EXPECT_EQ(executor.ask("POST", "/v1/resume").status, 409);
  EXPECT_EQ(executor.ask("POST", "/v1/jobs").status, 503);
  EXPECT_EQ(executor.ask("GET", "/readyz").status, 200);
  let_go();
  EXPECT_EQ(exit_status_of(job.wait()), 0) << job.err() << executor.log();
  EXPECT_EQ(job.out(), "done\n");
  EXPECT_EQ(exit_status_of(executor.wait()), 0) << executor.log();
  EXPECT_TRUE(eventually([&] { return server->counts("work") == Counts{1, 0, 0}; }));
  EXPECT_EQ(server->counts("also").total, 1);
  EXPECT_EQ(lines_in(effects()), 1);
}

TEST_F(GearmanStop, WhatWaitsForRoomGoesBackToTheServer) {
  GearmanExecutor executor(GearmanExecutor::worker(*server, patient()), 40);
  Submission runs(*server, "work", R"({"inventory": 3})");
  ASSERT_TRUE(began(1));
  // It needs 35 points; 20 are free.
  Submission waits(*server, "work", R"({"inventory": 6})");
  ASSERT_TRUE(eventually([&] { return server->counts("work").running == 2; }));
  executor.tell(SIGTERM);
  ASSERT_TRUE(eventually([&] { return server->counts("work").running == 1; })) << executor.log();
  EXPECT_TRUE(says(executor, "goes back to its server: the daemon takes no more work"));
  EXPECT_EQ(server->counts("work").total, 2);
  let_go();
  EXPECT_EQ(exit_status_of(executor.wait()), 0) << executor.log();
  EXPECT_EQ(exit_status_of(runs.wait()), 0);
  EXPECT_EQ(lines_in(effects()), 1);
}

TEST_F(GearmanStop, TheServiceManagerIsAskedForTime) {
  const NotifyListener manager(folder.path("notify"));
  setenv("NOTIFY_SOCKET", folder.path("notify").c_str(), 1);
  GearmanExecutor executor(GearmanExecutor::worker(*server, patient()), 20);
  unsetenv("NOTIFY_SOCKET");
  Submission job(*server, "work", "");
  ASSERT_TRUE(began(1));
  executor.tell(SIGTERM);
  std::string heard;
  EXPECT_TRUE(eventually([&] {
    const std::string said = manager.take();
    if (!said.empty()) heard = said;
    return said.starts_with("STOPPING=1");
  }));
  EXPECT_EQ(heard,
            "STOPPING=1\nSTATUS=draining: 1 job of its own runs, ends within 1 h 00 min\n"
            "EXTEND_TIMEOUT_USEC=30000000");
  let_go();
  EXPECT_EQ(exit_status_of(executor.wait()), 0) << executor.log();
}

/// Signals that end it at once: its jobs go back to the server.
class GearmanStopAtOnce : public GearmanStop {
 protected:
  void expect_jobs_back(const std::string& service, std::initializer_list<int> signals) {
    GearmanExecutor executor(
        GearmanExecutor::worker(*server, "echo $$ >> " + effects() + "; exec sleep 600"), 20,
        service);
    Submission job(*server, "work", "");
    ASSERT_TRUE(began(1));
    for (const int signal : signals) {
      executor.tell(signal);
      // Two simultaneous signals count as one.
      if (signals.size() > 1) {
        ASSERT_TRUE(says(executor, "draining: 1 job"));
      }
    }
    EXPECT_EQ(exit_status_of(executor.wait()), 0) << executor.log();
    EXPECT_TRUE(eventually([&] { return server->counts("work") == Counts{1, 0, 0}; }));
    EXPECT_TRUE(says(executor, "ended, goes back to its server: the daemon is stopping"));
  }
};

TEST_F(GearmanStopAtOnce, SigintDoes) { expect_jobs_back("", {SIGINT}); }
TEST_F(GearmanStopAtOnce, ASecondSigtermDoes) { expect_jobs_back("", {SIGTERM, SIGTERM}); }
TEST_F(GearmanStopAtOnce, SigintAfterSigtermDoes) { expect_jobs_back("", {SIGTERM, SIGINT}); }
TEST_F(GearmanStopAtOnce, NoTimeToDrainDoes) { expect_jobs_back(", drain_on_stop: 0s", {SIGTERM}); }

}  // namespace
}  // namespace sluice::gearman
