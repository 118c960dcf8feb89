// How the memory of a run grew: steps from measurements, and what several runs say together.

#include "costmodel/memory_course.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A run that is measured four times a second.
class MeasuredMemory {
 public:
  MeasuredMemory& holds(double lasts, std::uint64_t bytes, double waits = 0) {
    for (double passed = 0; passed < lasts - 1e-9; passed += 0.25) {
      usage_.wall += milliseconds(250);
      usage_.cpu += milliseconds(static_cast<int>(250 * (1 - waits)));
      usage_.cpu_delay += milliseconds(static_cast<int>(250 * waits));
      usage_.memory = Bytes{bytes};
      usage_.peak_memory = std::max(usage_.peak_memory, usage_.memory);
      recorder_.see(usage_);
    }
    return *this;
  }
  JobUsage& usage() { return usage_; }
  const ProfileRecorder& recorder() const { return recorder_; }
  std::string text() const { return to_text(recorder_.memory_until(usage_)); }

 private:
  JobUsage usage_;
  ProfileRecorder recorder_;
};

MemoryCourse course(const std::string& text) { return parse_course(text).value(); }

MemoryProfile profile_of_texts(const std::vector<std::string>& texts) {
  std::vector<MemoryCourse> courses;
  for (const std::string& text : texts) courses.push_back(course(text));
  std::vector<const MemoryCourse*> runs;
  for (const MemoryCourse& each : courses) runs.push_back(&each);
  return profile_of(runs);
}

TEST(MemoryCourse, StepsNeverSayLessThanWasHeld) {
  MeasuredMemory run;
  for (int i = 1; i <= 40; ++i) run.holds(0.25, static_cast<std::uint64_t>(100 * i));
  const MemoryCourse seen = run.recorder().memory_until(run.usage());
  ASSERT_EQ(seen.count, MemoryCourse::kMostSteps);
  for (int i = 1; i <= 40; ++i) {
    double said = 0;
    for (const MemoryStep& step : seen.valid()) {
      if (said == 0 && milliseconds(250 * i) <= step.until) said = step.bytes;
    }
    EXPECT_GE(said, 100 * i) << i;
  }
  EXPECT_EQ(seen.steps[seen.count - 1].until, Duration(seconds(10)));
}

TEST(MemoryCourse, ALatePeakKeepsItsTime) {
  const MemoryCourse seen = course(MeasuredMemory().holds(60, 3000).holds(20, 12000).text());
  EXPECT_EQ(seen.steps[seen.count - 1].until, Duration(seconds(80)));
  double early = 0;
  for (const MemoryStep& step : seen.valid()) {
    if (step.until <= seconds(60)) early = std::max(early, step.bytes);
  }
  EXPECT_EQ(early, 3000);
}

TEST(MemoryCourse, IsTheSameOnAFullMachine) {
  const MemoryCourse seen = course(MeasuredMemory().holds(40, 3000, 0.5).text());
  EXPECT_EQ(seen.steps[seen.count - 1].until, Duration(seconds(20)));
}

TEST(MemoryCourse, APeakBetweenTwoMeasurementsRaisesTheHighestStep) {
  MeasuredMemory run;
  run.holds(10, 1000).holds(10, 5000);
  run.usage().peak_memory = Bytes{7000};
  const MemoryCourse seen = run.recorder().memory_until(run.usage());
  EXPECT_EQ(seen.steps[seen.count - 1].bytes, 7000);
}

TEST(MemoryCourse, ReadsWhatItWritesAndNothingElse) {
  const std::string text = "4:104857600 9.5:943718400";
  EXPECT_EQ(to_text(course(text)), text);
  for (const char* wrong : {"4", "4:", "4:-1", "4:1 3:2", "x:1", "4:1e30", "4:1 "}) {
    EXPECT_FALSE(parse_course(wrong)) << wrong;
  }
}

TEST(MemoryCourse, WhateverIsStoredStepsAreInOrderAndFinite) {
  constexpr std::string_view kLetters = "0123456789.:e+-  nainf";
  std::mt19937 random(1);
  int read = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::size_t left = random() % 16; left > 0; --left) {
      text += kLetters[random() % kLetters.size()];
    }
    const auto seen = parse_course(text);
    if (!seen) continue;
    ++read;
    Duration last{0};
    for (const MemoryStep& step : seen->valid()) {
      ASSERT_GT(step.until, last) << text;
      ASSERT_TRUE(step.bytes >= 0 && step.bytes <= 1e18) << text;
      last = step.until;
    }
  }
  EXPECT_GT(read, 100);
}

TEST(MemoryProfile, IsTheMeanOfRunsOfWhichThoseThatHaveEndedHoldNothing) {
  const MemoryProfile two = profile_of_texts({"10:100 20:400", "10:100 30:200"});
  ASSERT_EQ(two.count, 3u);
  EXPECT_EQ(two.runs, 2u);
  EXPECT_EQ(two.phases[0].mean, 100);
  EXPECT_EQ(two.phases[0].alive, 1);
  EXPECT_EQ(two.phases[1].mean, 300);
  EXPECT_EQ(two.phases[1].square, (400.0 * 400 + 200.0 * 200) / 2);
  EXPECT_EQ(two.phases[1].alive, 0.5);
  EXPECT_EQ(two.phases[2].mean, 100);
  EXPECT_EQ(two.phases[2].alive, 0);
}

TEST(MemoryProfile, HasAsManyPhasesAsItMayHoweverManyRunsThereAre) {
  std::vector<std::string> texts;
  for (int i = 1; i <= 25; ++i) {
    texts.push_back(std::to_string(i) + ":100 " + std::to_string(2 * i + 1) + ":400");
  }
  const MemoryProfile many = profile_of_texts(texts);
  EXPECT_EQ(many.count, MemoryProfile::kMostPhases);
  EXPECT_EQ(many.phases[many.count - 1].until, Duration(seconds(51)));
  EXPECT_EQ(profile_of_texts({}).count, 0u);
}

Sample grown(const std::string& key, std::uint64_t peak, Outcome outcome = Outcome::ok) {
  MeasuredMemory run;
  run.holds(6, peak / 4).holds(4, peak);
  JobRequest job;
  job.key = key;
  return sample_of(job, run.usage(), SeenBy::governor, outcome, Bytes{0}, 1, &run.recorder());
}

std::shared_ptr<const MemoryProfile> growth(const History& history, const std::string& key) {
  JobRequest job;
  job.key = key;
  job.measured = true;
  return history.predict(job).growth;
}

TEST(MemoryProfile, IsLearnedFromTenRunsOfASteadyJob) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 9; ++i) history.learn(grown("k", 100 << 20));
  EXPECT_FALSE(growth(history, "k"));
  history.learn(grown("k", 100 << 20));
  const auto known = growth(history, "k");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->runs, 10u);
  EXPECT_NEAR(known->phases[0].mean, 25 << 20, 1);
  EXPECT_FALSE(growth(history, "other"));
}

TEST(MemoryProfile, IsNotKnownOfAJobThatHasChanged) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 10; ++i) history.learn(grown("k", 100 << 20));
  for (int i = 0; i < 3; ++i) history.learn(grown("k", 300 << 20));
  EXPECT_FALSE(growth(history, "k"));
}

TEST(MemoryProfile, IsOfRunsThatEndedWell) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 12; ++i) {
    history.learn(grown("k", 100 << 20, i % 3 == 0 ? Outcome::failed : Outcome::ok));
  }
  EXPECT_FALSE(growth(history, "k")) << "eight";
}

}  // namespace
}  // namespace sluice
