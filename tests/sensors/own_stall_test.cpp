// Pressure from jobs that Sluice itself slows down is not the machine's.
#include "sensors/own_stall.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host_trees.h"
#include "sensors/memory_pressure.h"

namespace sluice {
namespace {

/// The kernel's counters, with the averages it would derive from them.
class Stall {
 public:
  void wait(double some, double full, double seconds) {
    some_.add(some, seconds);
    full_.add(full, seconds);
  }
  Psi psi() const {
    Psi psi;
    psi.some = some_.line();
    psi.full = full_.line();
    return psi;
  }
  std::string text() const {
    const auto line = [](const char* name, const PsiLine& line) {
      return std::string(name) + " avg10=" + std::to_string(line.avg10) +
             " avg60=0.00 avg300=0.00 total=" + std::to_string(line.total) + "\n";
    };
    return line("some", some_.line()) + line("full", full_.line());
  }

 private:
  struct Side {
    void add(double part, double seconds) {
      total += part * seconds;
      average += (1 - std::exp(-seconds / 10)) * (100 * part - average);
    }
    PsiLine line() const { return {average, 0, 0, static_cast<std::uint64_t>(total * 1e6)}; }
    double total = 0, average = 0;
  };
  Side some_, full_;
};

SlowedStall slowed(double waited) {
  SlowedStall stall;
  stall.waited = waited;
  stall.jobs = 1;
  return stall;
}

TEST(OwnStall, PressureThatNoJobOfOursMakesStaysAsItIs) {
  OwnStall own;
  Stall whole;
  for (int second = 0; second < 30; ++second) {
    whole.wait(0.6, 0.3, 1);
    const Psi rest = own.rest(whole.psi(), {}, at_seconds(second));
    EXPECT_EQ(rest.some.avg10, whole.psi().some.avg10);
    EXPECT_EQ(rest.full->avg10, whole.psi().full->avg10);
  }
}

TEST(OwnStall, WhatASlowedJobWaitsIsLeftOut) {
  OwnStall own;
  Stall whole;
  own.rest(whole.psi(), {}, at_seconds(0));
  for (int second = 1; second < 60; ++second) {
    whole.wait(0.9, 0.9, 1);
    const Psi rest = own.rest(whole.psi(), slowed(0.9), at_seconds(second));
    EXPECT_NEAR(rest.some.avg10, 0, 0.1) << second;
    EXPECT_NEAR(rest.full->avg10, 0, 0.1) << second;
  }
  EXPECT_GT(whole.psi().some.avg10, 80);
}

TEST(OwnStall, WhatOthersWaitBesideItStays) {
  OwnStall own;
  Stall whole;
  own.rest(whole.psi(), {}, at_seconds(0));
  Psi rest;
  for (int second = 1; second < 120; ++second) {
    whole.wait(0.9, 0.5, 1);
    rest = own.rest(whole.psi(), slowed(0.3), at_seconds(second));
  }
  EXPECT_NEAR(rest.some.avg10, 60, 1);
  EXPECT_NEAR(rest.full->avg10, 20, 1);
}

TEST(OwnStall, IsForgottenAsTheKernelForgetsIt) {
  OwnStall own;
  Stall whole;
  own.rest(whole.psi(), {}, at_seconds(0));
  int second = 1;
  for (; second < 60; ++second) {
    whole.wait(1, 1, 1);
    own.rest(whole.psi(), slowed(1), at_seconds(second));
  }
  for (; second < 90; ++second) {  // The job has ended; its stall is still in the averages.
    whole.wait(0, 0, 1);
    EXPECT_NEAR(own.rest(whole.psi(), {}, at_seconds(second)).some.avg10, 0, 0.1) << second;
  }
  for (; second < 200; ++second) {  // From here on others stall.
    whole.wait(0.5, 0, 1);
    own.rest(whole.psi(), {}, at_seconds(second));
  }
  EXPECT_NEAR(own.rest(whole.psi(), {}, at_seconds(second)).some.avg10, 50, 1);
}

TEST(OwnStall, OfAJobThatEndedNobodyKnowsWhatItWaitedLast) {
  OwnStall own;
  Stall whole;
  own.rest(whole.psi(), {}, at_seconds(0));
  whole.wait(1, 1, 1);
  SlowedStall ended;
  ended.is_whole = false;
  EXPECT_NEAR(own.rest(whole.psi(), ended, at_seconds(1)).some.avg10, 0, 0.1);
}

TEST(OwnStall, NoLessIsLeftThanAnotherJobsOwnGroupMeasures) {
  OwnStall own;
  Stall whole;
  own.rest(whole.psi(), {}, at_seconds(0));
  SlowedStall both = slowed(0.9);
  both.other_some = 40;
  both.other_full = 5;
  Psi rest;
  for (int second = 1; second < 60; ++second) {
    whole.wait(0.9, 0.9, 1);
    rest = own.rest(whole.psi(), both, at_seconds(second));
  }
  EXPECT_EQ(rest.some.avg10, 40);
  EXPECT_EQ(rest.full->avg10, 5);
}

/// A v2 host with a governor in /ci whose jobs are in groups of their own.
class SlowedJobsTest : public ::testing::Test {
 protected:
  static constexpr const char* kJob = "/sys/fs/cgroup/ci/sluice.7/job.1";

  SlowedJobsTest() {
    write("/sys/fs/cgroup/ci", stall_);
    write("/sys/fs/cgroup/ci/sluice.7/job.1", job_);
    tree_.write("/proc/pressure/memory", Stall().text());
    held_back(0);
  }
  void write(const std::string& group, const Stall& stall) const {
    tree_.write(group + "/memory.pressure", stall.text());
  }
  void held_back(int times) const {
    tree_.write(std::string(kJob) + "/memory.events",
                "low 0\nhigh " + std::to_string(times) + "\n");
  }
  /// One more second in which the job and its group wait.
  Reading second(MemoryPressureSensor& sensor) {
    stall_.wait(1, 1, 1);
    job_.wait(1, 1, 1);
    write("/sys/fs/cgroup/ci", stall_);
    write(kJob, job_);
    return reading_or_fail(sensor.read(at_seconds(++now_)));
  }

  TemporaryTree tree_{v2_host("/ci")};
  Stall stall_, job_;
  int now_ = 0;
};

TEST_F(SlowedJobsTest, AJobThatIsHeldBackAtItsOwnLimitDoesNotMakeTheSensorRed) {
  MemoryPressureSensor sensor(tree_.paths(), {}, SlowsJobs::yes);
  reading_or_fail(sensor.read(at_seconds(0)));
  Reading reading;
  for (int i = 1; i < 30; ++i) {
    held_back(i);
    reading = second(sensor);
  }
  EXPECT_LT(reading.pressure(), 0.1) << reading.sentence;
  EXPECT_TRUE(
      reading.sentence.ends_with(", not counting the time that 1 job waited at memory.high"))
      << reading.sentence;
  EXPECT_EQ(reading.source, "/sys/fs/cgroup/ci/memory.pressure");
}

TEST_F(SlowedJobsTest, AJobThatWaitsBelowItsLimitWaitsForTheMachine) {
  MemoryPressureSensor sensor(tree_.paths(), {}, SlowsJobs::yes);
  reading_or_fail(sensor.read(at_seconds(0)));
  Reading reading;
  for (int i = 1; i < 30; ++i) reading = second(sensor);
  EXPECT_GT(reading.pressure(), 1) << reading.sentence;
}

TEST_F(SlowedJobsTest, WhereNoJobIsSlowedDownByUsAllPressureCounts) {
  MemoryPressureSensor sensor(tree_.paths(), {});
  reading_or_fail(sensor.read(at_seconds(0)));
  Reading reading;
  for (int i = 1; i < 30; ++i) {
    held_back(i);
    reading = second(sensor);
  }
  EXPECT_GT(reading.pressure(), 1) << reading.sentence;
}

TEST_F(SlowedJobsTest, JobsOfGovernorsElsewhereAreLeftOutOfTheHostsPressureAlone) {
  TemporaryTree tree(v2_host("/ci"));
  MemoryPressureSensor sensor(tree.paths(), {}, SlowsJobs::yes);
  const std::string job = "/sys/fs/cgroup/user/sluice.9.2/job.4";
  Stall stall;
  const auto read = [&](int second, bool in_group) {
    tree.write(job + "/memory.events", "high " + std::to_string(second) + "\n");
    tree.write(job + "/memory.pressure", stall.text());
    tree.write("/proc/pressure/memory", stall.text());
    tree.write("/sys/fs/cgroup/ci/memory.pressure", in_group ? stall.text() : Stall().text());
    return reading_or_fail(sensor.read(at_seconds(second)));
  };
  Reading reading;
  for (int second = 0; second < 30; ++second) {
    reading = read(second, false);
    stall.wait(1, 1, 1);
  }
  EXPECT_LT(reading.pressure(), 0.1) << reading.sentence;
  reading = read(30, true);
  EXPECT_GT(reading.pressure(), 1) << "it is not below the group that waits";
}

}  // namespace
}  // namespace sluice
