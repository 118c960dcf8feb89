// What is learned of the time at which a job needs the CPUs.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;

Sample timed(std::string key, std::string program, double cores, const std::string& profile) {
  static std::int64_t ended = 0;
  Sample sample{std::move(key), std::move(program), ++ended, Outcome::ok,
                cores,          Bytes{1 << 20},     10s};
  sample.profile = parse_profile(profile).value();
  return sample;
}

JobRequest job_named(std::string key, std::string program) {
  JobRequest job;
  job.key = std::move(key);
  job.program = std::move(program);
  job.measured = true;
  return job;
}

bool is_sleeper(const History& history, const std::string& key, const std::string& program) {
  return history.predict(job_named(key, program)).sleeps;
}

TEST(HistoryPhases, AKeyIsExpectedToRunAsItsLastRunsDid) {
  History history({}, {}, nullptr);
  EXPECT_EQ(history.predict(job_named("k", "p")).profile.count, 0u);
  history.learn(timed("k", "p", 1, "4:0 5:1"));
  EXPECT_EQ(to_text(history.predict(job_named("k", "p")).profile), "4:0 5:1");
  history.learn(timed("k", "p", 1, "4.5:0 6:1"));
  EXPECT_EQ(to_text(history.predict(job_named("k", "p")).profile), "4:0 6:1");
  EXPECT_EQ(to_text(history.samples("k").back().profile), "4.5:0 6:1");
  for (int i = 0; i < 5; ++i) history.learn(timed("k", "p", 1, "9:1"));
  EXPECT_EQ(to_text(history.predict(job_named("k", "p")).profile), "9:1") << "five runs count";
}

TEST(HistoryPhases, AProgramTeachesItsRampAndHowMuchMayComeLater) {
  History history({}, {}, nullptr);
  for (const char* key : {"a", "b", "c"}) {
    history.learn(timed(key, "p", 1, "3:0.1 9:2"));
  }
  const Prediction unknown = history.predict(job_named("d", "p"));
  EXPECT_EQ(unknown.profile.count, 0u) << "another job does other things at other times";
  EXPECT_EQ(unknown.ramp, Duration(3s));
  EXPECT_EQ(unknown.late_cores, 2);
  EXPECT_FALSE(history.predict(job_named("d", "q")).ramp) << "everything says nothing about it";
}

TEST(HistoryPhases, RunsCutShortSayNothingAboutWhatWouldHaveCome) {
  History history({}, {}, nullptr);
  history.learn(timed("k", "p", 0.03, "60:0 62:1"));
  for (int i = 0; i < 5; ++i) {
    Sample cancelled = timed("k", "p", 0.03, "30:0");
    cancelled.outcome = Outcome::cancelled;
    history.learn(cancelled);
  }
  const Prediction next = history.predict(job_named("k", "p"));
  EXPECT_EQ(next.profile.count, 0u);
  EXPECT_FALSE(next.late_cores);
}

TEST(HistoryPhases, OnlyOnesOwnMeasuredRunsVouchForAProfile) {
  History history({}, {}, nullptr);
  Sample foreign = timed("k", "p", 0.01, "5:0");
  foreign.user = "mallory";
  foreign.seen_by = SeenBy::governor;
  history.learn(foreign);
  JobRequest job = job_named("k", "p");
  job.user = "alice";
  EXPECT_EQ(history.predict(job).profile.count, 0u) << "another user's";
  EXPECT_FALSE(history.predict(job).late_cores);
  history.learn(timed("memory-only", "q", 0, "5:0"));
  EXPECT_EQ(history.predict(job_named("memory-only", "q")).profile.count, 0u) << "no CPU time";
  history.learn(timed("own", "r", 1, "4:0 5:1"));
  JobRequest unmeasured = job_named("own", "r");
  unmeasured.measured = false;
  EXPECT_EQ(history.predict(unmeasured).profile.count, 0u);
  EXPECT_EQ(history.predict(job_named("own", "r")).profile.count, 2u);
}

TEST(HistoryPhases, ARunOfWhichNothingWasRecordedHasNoProfile) {
  JobUsage used;
  used.wall = 2s;
  used.cpu = 1s;
  const Sample sample =
      sample_of(job_named("k", "p"), used, SeenBy::governor, Outcome::ok, Bytes{0}, 1);
  EXPECT_EQ(sample.profile.count, 0u);
}

TEST(HistoryPhases, AProfileOfHoursSurvivesItsText) {
  CpuProfile profile;
  profile.phases = {CpuPhase{10800100ms, 0}, CpuPhase{10800400ms, 1}};
  profile.count = 2;
  EXPECT_EQ(to_text(profile), "10800.1:0 10800.4:1");
  EXPECT_EQ(parse_profile(to_text(profile)), profile);
}

TEST(HistoryPhases, WhoComputesLateIsNoSleeperWhateverItsMean) {
  History history({}, {}, nullptr);
  history.learn(timed("k", "p", 0.03, "60:0 62:1"));
  EXPECT_FALSE(is_sleeper(history, "k", "p"));
  for (const char* key : {"a", "b", "c"}) {
    history.learn(timed(key, "q", 0.03, "60:0 62:1"));
  }
  EXPECT_FALSE(is_sleeper(history, "d", "q"));
  history.learn(timed("s", "sleep", 0.01, "0.5:0.5 62:0.001"));
  EXPECT_TRUE(is_sleeper(history, "s", "sleep"));
  EXPECT_EQ(history.predict(job_named("s", "sleep")).ramp, Duration(1s));
}

}  // namespace
}  // namespace sluice
