#include "service/jobs/lease_cpu.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>

#include "base/seconds.h"
#include "fixture.h"
#include "service/jobs/lease_trees.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;
using namespace std::chrono_literals;

TEST(LeaseCpu, AClaimIsWhatWasReadAndWhatCanHaveGoneUnseen) {
  struct Row {
    const char* what;
    Duration claimed, read, unseen, span, elapsed, expected;
  };
  const Row rows[] = {
      {"nothing is claimed", 0s, 5s, 0s, 10s, 10s, 5s},
      {"too little is claimed", 3s, 5s, 1s, 10s, 10s, 5s},
      {"as much as was read", 5s, 5s, 0s, 10s, 10s, 5s},
      {"more, in ticks", 5010ms, 5s, 0s, 10s, 10s, 5010ms},
      {"more than ticks are", 20s, 5s, 0s, 10s, 10s, 5050ms},
      {"more, by children that ended unseen", 6s, 5s, 1s, 10s, 10s, 6s},
      {"more than these can have used", 9s, 5s, 1s, 10s, 10s, 7050ms},
      {"before the reading began", 11s, 5s, 0s, 10s, 14s, 11s},
      {"more than even then", 99s, 5s, 0s, 10s, 14s, 13050ms},
      {"a reading older than the admission", 9s, 5s, 0s, 10s, 3s, 5050ms},
  };
  for (const Row& row : rows) {
    JobUsage claimed;
    claimed.cpu = claimed.cpu_delay = row.claimed;
    LeaseCpu read;
    read.cpu = read.delay = row.read;
    read.unseen = row.unseen;
    read.span = row.span;
    const JobUsage believed = confirmed(claimed, read, row.elapsed, 2);
    EXPECT_EQ(believed.cpu, row.expected) << row.what;
    EXPECT_EQ(believed.cpu_delay, row.expected) << row.what;
  }
}

TEST(LeaseCpu, AWallTimeIsNotShorterThanItsProcessesRan) {
  LeaseCpu read;
  read.span = 10s;
  read.stopped = 4s;
  JobUsage claimed;
  EXPECT_EQ(confirmed(claimed, read, 10s, 2).wall, 6s);
  claimed.wall = 8s;
  EXPECT_EQ(confirmed(claimed, read, 10s, 2).wall, 8s);
}

/// A shell script that runs until it is destroyed.
class Script {
 public:
  explicit Script(const char* text) : pid_(fork()) {
    if (pid_ != 0) return;
    setpgid(0, 0);
    execl("/bin/sh", "sh", "-c", text, nullptr);
    _exit(127);
  }
  ~Script() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

constexpr const char* kBurns = "while :; do :; done";
constexpr const char* kSleeps = "exec sleep 600";

TEST(LeaseCpu, ATreeIsReadWithItsInnerLeases) {
  LeaseTrees trees({});
  const Script inner(kBurns);
  trees.begin(JobId{1}, getpid(), Clock::now());
  trees.begin(JobId{2}, inner.pid(), Clock::now());
  for (const JobId job : {JobId{1}, JobId{2}}) trees.admitted(job, Clock::now());
  TimePoint now = Clock::now();
  ASSERT_TRUE(eventually([&] { return trees.cpu(JobId{2}, now = Clock::now())->cpu >= 100ms; }));
  EXPECT_GE(trees.cpu(JobId{1}, now)->cpu, trees.cpu(JobId{2}, now)->cpu);
}

/// Waits until the process has used so much.
bool burns(const Script& script, Duration cpu) {
  return eventually([&] {
    const auto facts = read_process(script.pid());
    return facts && facts->cpu >= cpu;
  });
}

TEST(LeaseCpu, WhatAJobUsesWhileItWaitsDoesNotCount) {
  LeaseTrees trees({});
  const Script script(kBurns);
  trees.begin(JobId{1}, script.pid(), Clock::now());
  ASSERT_TRUE(burns(script, 100ms));
  const TimePoint now = Clock::now();
  EXPECT_EQ(trees.cpu(JobId{1}, now)->cpu, 0s);
  trees.admitted(JobId{1}, now);
  EXPECT_EQ(trees.cpu(JobId{1}, now)->cpu, 0s);
  EXPECT_EQ(trees.cpu(JobId{1}, now)->span, 0s);
}

/// Else a job of one thread seems to use none and then two CPUs.
TEST(LeaseCpu, AUsageWithTheCpuTimeThatWasReadIsAsOldAsTheReading) {
  JobUsage usage;
  usage.wall = 10s;
  usage.cpu = 8s;
  LeaseCpu read;
  read.age = 300ms;
  read.cpu = 8s;
  EXPECT_EQ(as_of_reading(usage, read).wall, 9700ms);
  usage.cpu = 9s;
  EXPECT_EQ(as_of_reading(usage, read).wall, 10s) << "its holder has measured both";
}

TEST(LeaseCpu, BetweenTwoReadingsItsTimeStandsStillWithItsCpuTime) {
  LeaseTrees trees({});
  const Script script(kBurns);
  const TimePoint began = Clock::now();
  trees.begin(JobId{1}, script.pid(), began);
  trees.admitted(JobId{1}, began);
  ASSERT_TRUE(eventually([&] { return trees.cpu(JobId{1}, Clock::now())->cpu >= 100ms; }));
  const LeaseCpu read = *trees.cpu(JobId{1}, began);
  const LeaseCpu later = *trees.cpu(JobId{1}, began + read.span + 40ms);
  EXPECT_EQ(later.cpu, read.cpu);
  EXPECT_EQ(later.span, read.span);
  EXPECT_GE(read.span, read.cpu - 50ms);
}

TEST(LeaseCpu, JobsThatWaitTakeNoShareOfTheirProcess) {
  LeaseTrees trees({});
  const Script script(kBurns);
  for (std::uint64_t job = 1; job <= 50; ++job) {
    trees.begin(JobId{job}, script.pid(), Clock::now());
  }
  trees.admitted(JobId{1}, Clock::now());
  EXPECT_TRUE(eventually([&] { return trees.cpu(JobId{1}, Clock::now())->cpu >= 100ms; }));
  EXPECT_EQ(trees.cpu(JobId{2}, Clock::now())->cpu, 0s);
}

TEST(LeaseCpu, AnotherProcessOfAJobDoesNotBeginAnew) {
  LeaseTrees trees({});
  const Script burning(kBurns), sleeping(kSleeps);
  trees.begin(JobId{1}, burning.pid(), Clock::now());
  trees.admitted(JobId{1}, Clock::now());
  TimePoint now = Clock::now();
  ASSERT_TRUE(eventually([&] { return trees.cpu(JobId{1}, now = Clock::now())->cpu >= 100ms; }));
  const Duration span = trees.cpu(JobId{1}, now)->span;
  trees.begin(JobId{1}, sleeping.pid(), now);
  trees.admitted(JobId{1}, now);
  EXPECT_GE(trees.cpu(JobId{1}, now)->cpu, 100ms);
  EXPECT_GE(trees.cpu(JobId{1}, now)->span, span);
}

/// A daemon that charges what jobs need, and jobs whose holder says what it likes.
class LeaseCpuOfDaemon : public ::testing::Test {
 protected:
  void begin(const Script& script) const {
    const auto reply = daemon.ask("POST", "/v1/jobs",
                                  R"({"id": "a", "key": "k", "measured": true, "pid": )" +
                                      std::to_string(script.pid()) + "}");
    ASSERT_EQ(reply.status, 201) << reply.body;
  }
  json::object claim(const std::string& usage) const {
    return object(daemon.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage": )" + usage + "}"));
  }
  static json::object object(const ClientReply& reply) {
    return json::parse(reply.body).as_object();
  }
  static double cpu_of(const json::object& job) {
    return job.at("usage").as_object().at("cpu").to_number<double>();
  }
  std::int64_t charged() const {
    const json::object status = object(daemon.ask("GET", "/v1/status"));
    return status.at("window").as_object().at("usage").as_int64();
  }

  RunningDaemon daemon{
      "window: {law: knee, initial: 20, minimum: 20, maximum: 20}\n"
      "cost: {model: formula}\n"
      "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off, io_pressure: "
      "off,\n"
      "          cgroup: off, disk: off, pids: off, starting: off}\n"};
};

TEST_F(LeaseCpuOfDaemon, AJobThatClaimsNothingIsChargedWhatItUses) {
  const Script script(kBurns);
  begin(script);
  // After its ramp of a second; it is one point for what it claims, and less than ten where others
  // use the CPUs.
  EXPECT_TRUE(eventually([&] {
    return cpu_of(claim(R"({"wall": 0.001, "cpu": 0})")) >= 1.2 && charged() >= 3;
  })) << charged();
}

TEST_F(LeaseCpuOfDaemon, AJobThatClaimsAllCpusIsChargedWhatItUses) {
  const Script script(kSleeps);
  const TimePoint begun = Clock::now();
  begin(script);
  // Time before the first reading and since the last one can have gone unseen, and a loaded machine
  // makes both long; believed claims would amount to every core for the whole time.
  EXPECT_TRUE(eventually([&] {
    const json::object job = claim(R"({"cpu": 1000, "cpu_delay": 1000})");
    return cpu_of(job) < to_seconds(Clock::now() - begun) / 2 && charged() <= 5;
  })) << charged();
}

TEST_F(LeaseCpuOfDaemon, AJobWhoseHolderSaysNothingIsChargedWhatItUses) {
  const Script script(kSleeps);
  begin(script);
  EXPECT_TRUE(eventually([&] { return charged() == 1; })) << charged();
}

}  // namespace
}  // namespace sluice::testing
