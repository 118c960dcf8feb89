// `sluice batch --socket` against a daemon.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>

#include "command_runner.h"
#include "contents.h"
#include "fixture.h"
#include "has.h"

namespace sluice::testing {
namespace {

class BatchOfDaemon : public ::testing::Test {
 protected:
  /// The command line for jobs that are lines of a file.
  std::vector<std::string> line(const std::string& jobs,
                                std::vector<std::string> options = {}) const {
    write_file(folder.path("jobs"), jobs);
    std::vector<std::string> all{
        SLUICE_COMMAND,       "batch", "--socket",         daemon.socket(), "--state-dir",
        folder.path("state"), "-f",    folder.path("jobs")};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  bool status_has(const std::string& part) const {
    return eventually([&] { return has(daemon.ask("GET", "/v1/status").body, part); });
  }
  std::string read(const std::string& name) const { return contents_of(folder.path(name)); }
  std::string here(const std::string& name) const { return folder.path(name); }
  int most_marked() const {
    int now = 0, most = 0;
    for (const char mark : read("marks")) {
      if (mark == '+') most = std::max(most, ++now);
      if (mark == '-') --now;
    }
    return most;
  }
  /// Jobs of this many points each that mark their start and, once `together` of them have begun,
  /// their end.
  std::string marking(int jobs, int points, int together) const {
    const std::string marks = here("marks");
    std::string text;
    for (int job = 0; job < jobs; ++job) {
      text += R"({"cost": )" + std::to_string(points) + R"(, "command": "echo + >>)" + marks +
              "; until [ `grep -c + " + marks + "` -ge " + std::to_string(together) +
              " ]; do sleep 0.01; done; echo - >>" + marks + "\"}\n";
    }
    return text;
  }

  RunningDaemon daemon;
  TemporaryFolder folder;
};

TEST_F(BatchOfDaemon, TheDaemonsWindowSaysHowManyRun) {
  CommandRunner batch(line(marking(6, 10, 2)), folder.path(""));
  EXPECT_EQ(batch.wait(), 0) << batch.err();
  EXPECT_EQ(most_marked(), 2);
  EXPECT_TRUE(has(batch.err(), "jobs        6 of 6 ran, 0 failed\n")) << batch.err();
  EXPECT_TRUE(status_has("\"usage\":0"));
}

TEST_F(BatchOfDaemon, JobsCapsThatFurther) {
  CommandRunner batch(line(marking(3, 5, 1), {"-j1"}), folder.path(""));
  EXPECT_EQ(batch.wait(), 0) << batch.err();
  EXPECT_EQ(most_marked(), 1);
}

TEST_F(BatchOfDaemon, TheDaemonHearsHowJobsEndedAndWhatTheyUsed) {
  CommandRunner batch(line("{\"command\": \"sleep 0.2; exit 3\", \"key\": \"mine\"}\n"),
                      folder.path(""));
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 1);
  const std::string job = daemon.ask("GET", "/v1/jobs/1").body;
  EXPECT_TRUE(has(job, R"("key":"mine")")) << job;
  EXPECT_TRUE(has(job, R"("outcome":"failed","ended_by":"finish")")) << job;
  EXPECT_TRUE(has(job, R"(,"wall":0.)")) << job;
}

TEST_F(BatchOfDaemon, TheDaemonSeesItselfWhatAJobHolds) {
  CommandRunner batch(line("{\"command\": \"sleep 600\", \"key\": \"mine\"}\n"), folder.path(""));
  EXPECT_TRUE(eventually([&] {
    const std::string jobs = daemon.ask("GET", "/v1/jobs").body;
    return has(jobs, "\"unverified\":false") && has(jobs, "\"source\":\"processes\"");
  })) << daemon.ask("GET", "/v1/jobs").body;
  kill(batch.pid(), SIGTERM);
  batch.wait();
}

TEST_F(BatchOfDaemon, ManyShortJobsAllRunOnce) {
  std::string jobs;
  for (int job = 0; job < 100; ++job) jobs += "true " + std::to_string(job) + "\n";
  CommandRunner batch(line(jobs, {"-j4"}), folder.path(""));
  EXPECT_EQ(batch.wait(), 0);
  EXPECT_TRUE(has(batch.err(), "jobs        100 of 100 ran, 0 failed\n")) << batch.err();
  EXPECT_TRUE(status_has("\"finish\":100"));
}

TEST_F(BatchOfDaemon, WhatCanNeverRunIsSaidAndTheOthersRun) {
  CommandRunner batch(line("{\"command\": \"true\", \"cost\": 21}\necho ran\n"), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 1);
  EXPECT_EQ(batch.out(), "ran\n");
  EXPECT_TRUE(has(batch.err(), "jobs:1: true: not run: ")) << batch.err();
  EXPECT_TRUE(has(batch.err(), "21 points")) << batch.err();
}

TEST_F(BatchOfDaemon, AJobCancelledWhileItWaitsIsAmongTheFailures) {
  daemon.ask("POST", "/v1/jobs", R"({"id":"first","cost":20})");
  CommandRunner batch(line("echo a\n", {"--json"}), folder.path(""));
  ASSERT_TRUE(eventually([&] {
    return has(daemon.ask("GET", "/v1/jobs/2").body, R"("state":"pending")");
  })) << batch.err();
  daemon.ask("DELETE", "/v1/jobs/2?state=pending");
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 1);
  EXPECT_TRUE(has(batch.out(), R"("finished":0,"failed":1,)")) << batch.out();
  EXPECT_TRUE(has(batch.out(), R"("failures":["echo a: not run: )")) << batch.out();
}

TEST_F(BatchOfDaemon, SaysAfterTwoSecondsWhyNoneOfItsJobsRuns) {
  daemon.ask("POST", "/v1/jobs", R"({"id":"first","cost":20})");
  daemon.ask("POST", "/v1/jobs", R"({"id":"anothers","after":["first"]})");
  const TimePoint began = Clock::now();
  CommandRunner batch(line("{\"command\": \"true\", \"cost\": 5}\n"), folder.path(""));
  ASSERT_TRUE(eventually([&] { return has(batch.err(), "batch: waiting: "); })) << batch.err();
  EXPECT_GE(Clock::now() - began, std::chrono::seconds(2));
  EXPECT_TRUE(has(batch.err(), "batch: waiting: needs 5 points")) << batch.err();
  daemon.ask("POST", "/v1/pause");
  EXPECT_TRUE(eventually([&] {
    return has(batch.err(), "batch: waiting: paused by the operator\n");
  })) << batch.err();
  daemon.ask("POST", "/v1/resume");
  daemon.ask("DELETE", "/v1/jobs/first");
  EXPECT_EQ(batch.wait(), 0) << batch.err();
}

TEST_F(BatchOfDaemon, SaysWhyNoneOfItsJobsRunsAlsoBehindMoreJobsThanTheDaemonLists) {
  daemon.ask("POST", "/v1/jobs", R"({"id":"first","cost":20})");
  for (int job = 0; job < 1000; ++job) daemon.ask("POST", "/v1/jobs", R"({"cost":1})");
  ASSERT_TRUE(status_has(R"("pending":1000)"));
  CommandRunner batch(line("{\"command\": \"true\", \"cost\": 5}\n"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return has(batch.err(), "batch: waiting: "); })) << batch.err();
  ::kill(batch.pid(), SIGKILL);
  batch.wait();
}

TEST_F(BatchOfDaemon, NamesOfJobsAreTheBatchsOwn) {
  daemon.ask("POST", "/v1/jobs", R"({"id":"lib","cost":1})");
  const std::string jobs =
      "{\"command\": \"echo lib\", \"id\": \"lib\"}\n"
      "{\"command\": \"echo docs\", \"after\": [\"lib\"]}\n";
  CommandRunner batch(line(jobs), folder.path(""));
  EXPECT_EQ(batch.wait(), 0) << batch.err();
  EXPECT_EQ(batch.out(), "lib\ndocs\n");
}

TEST_F(BatchOfDaemon, WithoutTheDaemonTheRestIsNotStarted) {
  const std::string jobs = "{\"command\": \"touch " + here("began") + "; until [ -e " + here("go") +
                           " ]; do sleep 0.01; done; echo to its end\", \"cost\": 20}\n"
                           "{\"command\": \"touch " +
                           here("ran") + "\"}\n";
  CommandRunner batch(line(jobs), folder.path(""));
  ASSERT_TRUE(eventually([&] { return access(here("began").c_str(), F_OK) == 0; })) << batch.err();
  daemon.stop();
  ASSERT_TRUE(
      eventually([&] { return has(batch.err(), "running jobs finish, the rest will not start"); }));
  write_file(here("go"), "");
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 1);
  EXPECT_EQ(batch.out(), "to its end\n");
  EXPECT_NE(access(here("ran").c_str(), F_OK), 0);
}

TEST_F(BatchOfDaemon, ADaemonThatIsNotThereIsSaidAtOnce) {
  daemon.stop();
  CommandRunner batch(line("echo ran\n"), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 2);
  EXPECT_TRUE(has(batch.err(), "no sluice daemon found")) << batch.err();
  EXPECT_EQ(batch.out(), "");
}

TEST_F(BatchOfDaemon, ADaemonThatDrainsTakesNoMore) {
  daemon.ask("POST", "/v1/drain");
  CommandRunner batch(line("echo ran\n"), folder.path(""));
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 1);
  EXPECT_TRUE(has(batch.err(), "the daemon takes no work (")) << batch.err();
  EXPECT_EQ(batch.out(), "");
}

TEST_F(BatchOfDaemon, CtrlCTakesBackWhatWaits) {
  daemon.ask("POST", "/v1/jobs", R"({"id":"full","cost":20})");
  CommandRunner batch(line("true a\ntrue b\n"), folder.path(""));
  ASSERT_TRUE(status_has("\"pending\":2"));
  kill(batch.pid(), SIGINT);
  EXPECT_EQ(WEXITSTATUS(batch.wait()), 130);
  EXPECT_TRUE(status_has("\"pending\":0"));
}

TEST_F(BatchOfDaemon, KilledItGivesAllPointsBack) {
  CommandRunner batch(line("sleep 1000\nsleep 1001\n"), folder.path(""));
  ASSERT_TRUE(status_has("\"running\":2"));
  kill(batch.pid(), SIGKILL);
  batch.wait();
  EXPECT_TRUE(status_has("\"usage\":0"));
}

}  // namespace
}  // namespace sluice::testing
