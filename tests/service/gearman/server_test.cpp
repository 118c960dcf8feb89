// Tests against a real gearmand, with the `gearman` command as the client.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gearman_world.h"
#include "shell.h"

namespace sluice::gearman {
namespace {
using namespace sluice::testing;
using Counts = Gearmand::Counts;

class GearmanServer : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = Gearmand::missing();
    if (!missing.empty()) GTEST_SKIP() << missing << ": gearman-job-server, gearman-tools";
    server = std::make_unique<Gearmand>();
  }

  bool offered(int workers) const {
    return eventually([&] { return server->counts("work").workers == workers; });
  }
  std::string effects() const { return folder.path("effects"); }

  TemporaryFolder folder;
  std::unique_ptr<Gearmand> server;
};

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

TEST_F(GearmanServer, GetsTheOutputOfACommandThatReadThePayload) {
  const GearmanExecutor executor(GearmanExecutor::worker(*server, "tr a-z A-Z; echo problem >&2"),
                                 20);
  Submission job(*server, "work", "what comes in");
  EXPECT_EQ(exit_status(job.wait()), 0) << job.err() << executor.log();
  EXPECT_EQ(job.out(), "WHAT COMES IN");
  EXPECT_NE((job.err() + job.out()).find("problem"), std::string::npos);
}

TEST_F(GearmanServer, GetsALargeOutputWhole) {
  const GearmanExecutor executor(
      GearmanExecutor::worker(*server, "head -c 5000000 /dev/zero | tr '\\0' x"), 20);
  Submission job(*server, "work", "");
  EXPECT_EQ(exit_status(job.wait()), 0) << executor.log();
  EXPECT_EQ(job.out(), std::string(5000000, 'x'));
}

TEST_F(GearmanServer, IsToldOfACommandThatFails) {
  const GearmanExecutor executor(GearmanExecutor::worker(*server, "exit 3"), 20);
  Submission job(*server, "work", "");
  EXPECT_NE(exit_status(job.wait()), 0);
  EXPECT_TRUE(eventually([&] { return server->counts("work").total == 0; }));
  EXPECT_NE(executor.log().find("failed: exit status 3"), std::string::npos) << executor.log();
}

TEST_F(GearmanServer, IsToldOfAPayloadThatMakesNoSense) {
  const GearmanExecutor executor(GearmanExecutor::worker(*server, "echo ran >> " + effects()), 20);
  Submission job(*server, "work", R"({"inventory": "many"})");
  EXPECT_NE(exit_status(job.wait()), 0);
  EXPECT_NE(executor.log().find("its payload: `inventory` must be"), std::string::npos)
      << executor.log();
  Submission nowhere(*server, "work", R"({"queue": "nope"})");
  EXPECT_NE(exit_status(nowhere.wait()), 0);
  EXPECT_NE(executor.log().find("failed: its payload: `queue`: there is no queue `nope`"),
            std::string::npos)
      << executor.log();
  EXPECT_EQ(lines_in(effects()), 0);
}

TEST_F(GearmanServer, KeepsItsJobsWhileTheExecutorIsFull) {
  // A job costs all 10 points.
  const GearmanExecutor executor(
      GearmanExecutor::worker(*server,
                              "echo x >> " + effects() + "; while [ ! -e " + folder.path("go") +
                                  " ]; do sleep 0.02; done",
                              ", always: {\"status:{host}\": [/bin/echo, here]}"),
      10);
  ASSERT_TRUE(offered(1));
  std::vector<std::unique_ptr<Submission>> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(std::make_unique<Submission>(*server, "work", ""));
  // One runs; its connection still offers the function, the listening connection no longer does.
  ASSERT_TRUE(eventually([&] { return lines_in(effects()) == 1; })) << executor.log();
  ASSERT_TRUE(eventually([&] { return server->counts("work") == Counts{3, 1, 1}; }));
  EXPECT_EQ(executor.usage(), 10);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  Submission always(*server, std::string("status:") + host, "");
  EXPECT_EQ(exit_status(always.wait()), 0) << executor.log();
  EXPECT_EQ(always.out(), "here\n");
  EXPECT_EQ(lines_in(effects()), 1);
  write_file(folder.path("go"), "");
  for (const auto& job : jobs) EXPECT_EQ(exit_status(job->wait()), 0);
  EXPECT_EQ(lines_in(effects()), 3);
  EXPECT_TRUE(eventually([&] { return executor.usage() == 0; }));
}

TEST_F(GearmanServer, GivesAJobWhatItsPayloadSaysItNeeds) {
  const GearmanExecutor executor(
      GearmanExecutor::worker(*server,
                              "while [ ! -e " + folder.path("go") + " ]; do sleep 0.02; done"),
      100);
  Submission job(*server, "work", R"({"key": "big", "inventory": 5})");
  EXPECT_TRUE(eventually([&] { return executor.usage() == 30; })) << executor.log();
  write_file(folder.path("go"), "");
  EXPECT_EQ(exit_status(job.wait()), 0);
}

TEST_F(GearmanServer, ItsJobsAreOnRecordByTheNamesOfTheirSubmitters) {
  const std::string state = folder.path("state");
  const std::string script =
      "echo x >> " + effects() + "; while [ ! -e " + folder.path("go") + " ]; do sleep 0.02; done";
  GearmanExecutor executor(GearmanExecutor::worker(*server, script) + "state_dir: " + state + "\n",
                           20);
  Submission first(*server, "work", "", "-u first");
  ASSERT_TRUE(eventually([&] { return lines_in(effects()) == 1; })) << executor.log();
  // Its payload says that it needs more than was reserved for it, so it waits here.
  Submission second(*server, "work", R"({"key": "big", "inventory": 2})", "-u second");
  const auto why = [&](const std::string& job) {
    return answer_of(std::string(SLUICE_COMMAND) + " why " + job + " --state-dir " + state);
  };
  EXPECT_TRUE(eventually([&] {
    return why("second").text.find("needs 15 points, 10 of 20 points are free") !=
           std::string::npos;
  })) << why("second").text;
  const ClientReply shown = executor.ask("GET", "/v1/jobs/second");
  EXPECT_NE(shown.body.find("needs 15 points, 10 of 20 points are free"), std::string::npos)
      << shown.body;
  EXPECT_EQ(executor.ask("GET", "/v1/jobs/first").status, 200);
  write_file(folder.path("go"), "");
  EXPECT_EQ(exit_status(first.wait()), 0);
  EXPECT_EQ(exit_status(second.wait()), 0);
  executor.tell(SIGTERM);
  executor.wait();
  EXPECT_NE(why("first").text.find("(first) was submitted at "), std::string::npos)
      << why("first").text;
  EXPECT_NE(why("first").text.find("ended ok: "), std::string::npos) << why("first").text;
  EXPECT_NE(why("second").text.find("with key big: 15 points"), std::string::npos)
      << why("second").text;
  EXPECT_NE(why("second").text.find("ended ok: "), std::string::npos) << why("second").text;
}

TEST_F(GearmanServer, EndsAJobThatTakesLongerThanItsTimeout) {
  const GearmanExecutor executor(GearmanExecutor::worker(*server, "sleep 600"), 20);
  Submission job(*server, "work", R"({"timeout": 0.2})");
  EXPECT_NE(exit_status(job.wait()), 0);
  EXPECT_NE(executor.log().find("exceeded its timeout"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return executor.usage() == 0; }));
}

TEST_F(GearmanServer, GivesAJobWithATimeoutToNobodyElseMeanwhile) {
  // gearmand counts in milliseconds, and at least a second.
  const GearmanExecutor executor(
      GearmanExecutor::worker(*server, "echo x >> " + effects() + "; sleep 2.5",
                              ", timeout: 20min"),
      40);
  Submission job(*server, "work", "");
  EXPECT_EQ(exit_status(job.wait()), 0) << executor.log();
  EXPECT_EQ(lines_in(effects()), 1);
}

TEST_F(GearmanServer, FindsItsWorkersAgainAfterARestart) {
  const GearmanExecutor executor(GearmanExecutor::worker(*server, "cat"), 20);
  ASSERT_TRUE(offered(1));
  server->stop();
  server->start();
  ASSERT_TRUE(offered(1)) << executor.log();
  Submission job(*server, "work", "again");
  EXPECT_EQ(exit_status(job.wait()), 0);
  EXPECT_EQ(job.out(), "again");
}

TEST_F(GearmanServer, GivesTheJobsOfADeadExecutorToAnother) {
  const std::string script =
      "echo x >> " + effects() + "; while [ ! -e " + folder.path("go") + " ]; do sleep 0.02; done";
  auto first = std::make_unique<GearmanExecutor>(GearmanExecutor::worker(*server, script), 20);
  Submission job(*server, "work", "");
  ASSERT_TRUE(eventually([&] { return lines_in(effects()) == 1; }));
  const GearmanExecutor second(GearmanExecutor::worker(*server, script), 20);
  first->kill();
  ASSERT_TRUE(eventually([&] { return lines_in(effects()) == 2; })) << second.log();
  write_file(folder.path("go"), "");
  EXPECT_EQ(exit_status(job.wait()), 0);
}

TEST_F(GearmanServer, SeesAJobOfADrainedExecutorThroughToItsEnd) {
  GearmanExecutor executor(
      GearmanExecutor::worker(*server, "echo x >> " + effects() + "; while [ ! -e " +
                                           folder.path("go") +
                                           " ]; do sleep 0.02; done; echo done"),
      20);
  Submission job(*server, "work", "");
  ASSERT_TRUE(eventually([&] { return lines_in(effects()) == 1; }));
  executor.drain();
  Submission waits(*server, "work", "", "-b");
  EXPECT_EQ(exit_status(waits.wait()), 0);
  ASSERT_TRUE(eventually([&] { return server->counts("work").total == 2; }));
  write_file(folder.path("go"), "");
  EXPECT_EQ(exit_status(job.wait()), 0) << job.err() << executor.log();
  EXPECT_EQ(job.out(), "done\n");
  ASSERT_TRUE(eventually([&] { return server->counts("work") == Counts{1, 0, 0}; }));
  EXPECT_EQ(lines_in(effects()), 1);
}

}  // namespace
}  // namespace sluice::gearman
