// What a run looked like over time: phases from measurements, and phases of several runs.

#include "costmodel/cpu_profile.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <vector>

#include "base/seconds.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A run that is measured four times a second.
class Measured {
 public:
  /// It needs `cores`, of which it gets the part `got`, and waits for the rest.
  Measured& computes(double lasts, double cores, double got = 1) {
    for (double passed = 0; passed < lasts - 1e-9; passed += 0.25) {
      usage_.wall += milliseconds(250);
      usage_.cpu += of(0.25 * cores * got);
      usage_.cpu_delay += of(0.25 * cores * (1 - got));
      recorder_.see(usage_);
    }
    return *this;
  }
  CpuProfile profile() const { return recorder_.until(usage_); }
  JobUsage& usage() { return usage_; }
  ProfileRecorder& recorder() { return recorder_; }

 private:
  static Duration of(double count) { return from_seconds(count); }
  JobUsage usage_;
  ProfileRecorder recorder_;
};

CpuProfile profile(const std::string& text) { return parse_profile(text).value(); }

TEST(CpuProfile, ASteadyRunIsOnePhase) {
  EXPECT_EQ(to_text(Measured().computes(3, 1).profile()), "3:1");
  EXPECT_EQ(to_text(Measured().computes(0.5, 0.85).computes(2.5, 1).profile()), "3:0.975")
      << "the first sample contains the start of the program";
}

TEST(CpuProfile, ARunThatWaitsAndThenComputesIsTwo) {
  EXPECT_EQ(to_text(Measured().computes(4, 0).computes(1, 1).profile()), "4:0 5:1");
  EXPECT_EQ(to_text(Measured().computes(3600, 0.001).computes(2, 4).profile()),
            "3600:0.001 3602:4");
}

TEST(CpuProfile, ABriefComputationIsNotLostInAnHourOfNoise) {
  Measured run;
  std::mt19937 random(1);
  for (int i = 0; i < 14400; ++i) {
    run.computes(0.25, std::uniform_real_distribution<>(0, 0.05)(random));
    if (i == 7000) run.computes(1, 2);
  }
  bool found = false;
  Duration from{0};
  const CpuProfile learned = run.profile();
  for (const CpuPhase& phase : learned.valid()) {
    found |= phase.cores > 1 && from > seconds(1740) && phase.until < seconds(1760);
    from = phase.until;
  }
  EXPECT_TRUE(found) << to_text(run.profile());
}

TEST(CpuProfile, HasAsManyPhasesAsItMayWhateverTheRunDoes) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    Measured run;
    double work = 0;
    for (int i = 0; i < 100; ++i) {
      const double cores = std::uniform_real_distribution<>(0, 8)(random);
      work += 0.25 * cores;
      run.computes(0.25, cores);
    }
    const CpuProfile seen = run.profile();
    ASSERT_LE(seen.count, CpuProfile::kMostPhases);
    double sum = 0, from = 0;
    for (const CpuPhase& phase : seen.valid()) {
      const double until = std::chrono::duration<double>(phase.until).count();
      ASSERT_GT(until, from);
      sum += phase.cores * (until - from);
      from = until;
    }
    EXPECT_NEAR(sum, work, 1e-6) << "no work is lost";
    EXPECT_NEAR(from, 25, 1e-6);
  }
}

TEST(CpuProfile, IsTheSameOnAFullMachine) {
  EXPECT_EQ(to_text(Measured().computes(4, 0).computes(10, 1, 0.1).profile()), "4:0 5:1");
  EXPECT_EQ(to_text(Measured().computes(8, 4, 0.25).profile()), "2:4");
}

TEST(CpuProfile, TheEndOfARunBelongsToItsLastPhase) {
  Measured run;
  run.computes(4, 0).computes(1, 1);
  run.usage().wall += milliseconds(5);
  run.usage().cpu += milliseconds(10);
  EXPECT_EQ(run.profile().count, 2u);
  EXPECT_NEAR(run.profile().phases[1].cores, 1, 0.01);
}

TEST(CpuProfile, ARunTooShortToBeMeasuredIsOnePhase) {
  Measured run;
  run.usage().wall = milliseconds(50);
  run.usage().cpu = milliseconds(40);
  EXPECT_EQ(to_text(run.profile()), "0.05:0.8");
  EXPECT_EQ(Measured().profile().count, 0u);
}

TEST(CpuProfile, OfSeveralRunsTheMostAtEachTimeCounts) {
  const CpuProfile a = profile("4:0 5:1"), b = profile("4.5:0 6:2"), c = profile("3:0.01");
  const std::vector<const CpuProfile*> runs{&a, &b, &c};
  const CpuProfile all = envelope(runs);
  EXPECT_EQ(to_text(all), "4:0.0075 4.5:1 6:2");
  EXPECT_EQ(envelope(std::vector{&a}), a);
}

TEST(CpuProfile, TheRampLastsUntilARunNeedsHalfOfItsMost) {
  EXPECT_EQ(ramp_of(profile("3:0.2 60:2")), seconds(3));
  EXPECT_EQ(ramp_of(profile("60:1")), seconds(1)) << "two samples tell nothing sooner";
  EXPECT_EQ(ramp_of(profile("60:0.02")), seconds(0)) << "a sleeper has none";
  EXPECT_EQ(ramp_of(profile("60:0 70:2")), seconds(1)) << "it waits: that is a phase";
}

TEST(CpuProfile, SaysWhatARunNeedsLater) {
  EXPECT_EQ(late_cores(profile("60:0 62:1")), 1);
  EXPECT_EQ(late_cores(profile("60:1")), 1);
  EXPECT_EQ(late_cores(profile("0.5:1 60:0")), 0) << "the start of an interpreter";
  EXPECT_EQ(late_cores(profile("30:0 30.25:1 60:0")), 0) << "a moment";
}

TEST(CpuProfile, ReadsWhatItWritesAndNothingElse) {
  for (const char* text : {"", "3:1", "4:0 5:1", "0.05:0.8", "1:0 2:1 3:0 4:1 5:0 6:1"}) {
    ASSERT_TRUE(parse_profile(text)) << text;
    EXPECT_EQ(to_text(*parse_profile(text)), text);
  }
  for (const char* text :
       {"x", "3", "3:", ":1", "3:1 ", " 3:1", "3:1  4:1", "3:1 2:1", "3:-1", "3:nan", "3:inf",
        "1e300:1", "3:1e300", "0:1", "3:1,4:1", "1:0 2:1 3:0 4:1 5:0 6:1 7:0"}) {
    EXPECT_FALSE(parse_profile(text)) << text;
  }
}

}  // namespace
}  // namespace sluice
