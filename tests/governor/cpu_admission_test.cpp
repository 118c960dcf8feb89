// Admission by the CPUs under `law: knee`.
#include "governor/cpu_admission.h"

#include <gtest/gtest.h>

#include "cpu_fixture.h"

namespace sluice::cpu_test {
namespace {

TEST_F(Cpu, TheCpusHaveRoomForAQuarterMoreThanThereAre) {
  pass_second(0);
  EXPECT_EQ(submit("compile", 5).size(), 2u) << "1 + 1 fit in 2.5, 1 + 1 + 1 do not";
  EXPECT_EQ(limiting(), "needs 1.0 cores, 0.5 of 2.5 are free");
}

TEST_F(Cpu, AWideJobCountsAsHalfOfTheCpusBesideOthers) {
  pass_second(0);
  EXPECT_EQ(submit("compile").size(), 1u);
  EXPECT_EQ(submit("wide").size(), 1u) << "1 + 3 / 2 <= 2.5 with 3 counted as 1";
  EXPECT_EQ(submit("wide").size(), 0u);
}

TEST_F(Cpu, AnIdleMachineStartsWhateverItIs) {
  pass_second(2);  // By others.
  EXPECT_EQ(submit("wide").size(), 1u);
}

TEST_F(Cpu, NeighboursTakeAtMostHalfOfTheCpus) {
  for (int i = 0; i < 5; ++i) pass_second(2);
  EXPECT_EQ(submit("compile", 3).size(), 1u) << "2.5 - 1: one, and a second would make 3";
}

TEST_F(Cpu, JobsKnownToComputeLateStartSoThatTheirPhasesHaveRoom) {
  pass_second(0);
  ASSERT_EQ(submit("late", 5).size(), 2u);
  EXPECT_EQ(limiting(), "will need 1.0 cores later, 0.0 of 2.0 will be free then");
  pass_second(0);
  EXPECT_EQ(core_.pass(at(now_)).size(), 1u) << "half of its phase is taken, in the mean";
  pass_second(0);
  EXPECT_EQ(core_.pass(at(now_)).size(), 1u) << "two seconds of work a second: two CPUs";
}

TEST_F(Cpu, AJobThatComputesLaterDoesNotWaitBehindCompilers) {
  pass_second(0);
  submit("compile", 5);
  EXPECT_EQ(submit("late", 5).size(), 2u);
}

TEST_F(Cpu, ADeclaredCostIsHeldByTheWindowWhateverThePhases) {
  GovernorOptions small = fakes::window_of(20, 400);
  small.window.law = Law::knee;
  core_ = Core(small, model(), {fakes::known("load")}, at(now_));
  core_.observe_memory({{"host", Bytes{std::uint64_t{8} << 30}, Bytes{0}}});
  pass_second(0);
  for (int i = 0; i < 5; ++i) {
    JobRequest request = job("late");
    request.cost = Points{20};
    core_.submit(request, at(now_));
  }
  EXPECT_EQ(core_.pass(at(now_)).size(), 1u);
}

TEST_F(Cpu, OfJobsThatNobodyKnowsABoundedNumberRunsBelowWhatIsExpected) {
  std::vector<Admitted> asleep;
  for (int i = 0; i < 30; ++i) {
    pass_second(0);
    for (const Admitted& each : asleep) measure(each, 2 + i, 0);
    for (const Admitted& each : submit("unknown")) asleep.push_back(each);
  }
  EXPECT_LE(asleep.size(), 16u + 2) << "8 x CPUs, and those in their ramp";
  EXPECT_GE(asleep.size(), 16u);
  EXPECT_EQ(
      limiting(),
      "needs 1.0 cores at an unknown time; such jobs may come to need 16.0 together, 0.0 are free");
}

TEST_F(Cpu, WhatNobodyKnowsStartsAsItsSiblingsDo) {
  const auto submit_alike = [&](int count) {
    JobRequest request = job("unknown");
    request.program = "wait";
    for (int i = 0; i < count; ++i) core_.submit(request, at(now_));
    return core_.pass(at(now_));
  };
  pass_second(0);
  auto running = submit_alike(2);
  ASSERT_EQ(running.size(), 2u);
  const auto pass_measured = [&](double cores) {
    for (int i = 0; i < 2; ++i) {
      pass_second(0);
      for (const Admitted& each : running) measure(each, now_, cores * now_);
    }
  };
  pass_measured(0);
  for (const Admitted& each : submit_alike(2)) running.push_back(each);
  ASSERT_EQ(running.size(), 4u);
  pass_measured(0);
  const auto next = submit_alike(10);
  EXPECT_EQ(next.size(), 6u) << "four as their siblings, and two that are expected to compute";
  EXPECT_EQ(submit("unknown").size(), 0u) << "another program's jobs are not their siblings";
  pass_measured(1);
  EXPECT_EQ(core_.pass(at(now_)).size(), 0u);
}

TEST_F(Cpu, ThatJobsOfATokenNeededCpusIsForgottenOnceItsNextOneNeedsNone) {
  const auto started_later = [&](bool takes_turns) {
    core_ = Core(options(), model(), {fakes::known("load")}, at(now_));
    show(0);
    pass_second(0);
    JobRequest request = job("compile");
    request.takes_turns = takes_turns;
    for (int i = 0; i < 2; ++i) core_.submit(request, at(now_));
    const auto running = core_.pass(at(now_));
    EXPECT_EQ(running.size(), 2u);
    for (const double used : {2, 0}) {
      pass_second(used);
      for (const Admitted& each : running) measure(each, used > 0 ? 1 : 2, 1);
    }
    return submit("compile", 3).size();
  };
  EXPECT_EQ(started_later(false), 0u) << "a job computes again after a pause";
  EXPECT_EQ(started_later(true), 2u);
}

TEST_F(Cpu, TryAdmitAndSubmitAgree) {
  pass_second(0);
  EXPECT_TRUE(std::holds_alternative<Admitted>(core_.try_admit(job("compile"), at(now_))));
  EXPECT_TRUE(std::holds_alternative<Admitted>(core_.try_admit(job("compile"), at(now_))));
  const auto third = core_.try_admit(job("compile"), at(now_));
  ASSERT_TRUE(std::holds_alternative<Refusal>(third));
  EXPECT_EQ(std::get<Refusal>(third).binding, kCpuBinding);
  const auto plain = core_.try_admit(fakes::costing(10), at(now_));
  ASSERT_TRUE(std::holds_alternative<Refusal>(plain));
  EXPECT_EQ(std::get<Refusal>(plain).binding, kCpuBinding);
}

TEST_F(Cpu, ARefusalByTheCpusDoesNotMakeTheWindowGrow) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{30};
  core_ = Core(small, model(), {}, at(now_));
  show(0);
  pass_second(0);
  submit("compile", 5);
  pass_second(0.5);
  core_.pass(at(now_));
  EXPECT_EQ(core_.size(), Points{30});
}

TEST_F(Cpu, NorDoesAJobBehindOneThatTheCpusHaveNoRoomFor) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{30};
  small.queueing.queues["default"].backfill = 0;
  small.queueing.queues["other"].backfill = 0;
  core_ = Core(small, model(), {}, at(now_));
  show(0);
  pass_second(0);
  ASSERT_EQ(submit("compile", 3).size(), 2u);
  JobRequest narrow = job("unknown");
  narrow.cost = Points{4};
  narrow.queue = "other";
  core_.submit(narrow, at(now_));
  ASSERT_TRUE(core_.pass(at(now_)).empty());
  pass_second(0.5);
  EXPECT_EQ(core_.size(), Points{30});
}

TEST_F(Cpu, TheLoadAverageCountsOnlyWhileTheCpusAreBusy) {
  pass_second(0);
  show(2);
  EXPECT_FALSE(core_.why_closed()) << "tasks in vfork or waiting for a disk are load, too";
  for (int i = 0; i < 2; ++i) pass_second(2);
  show(2);
  EXPECT_TRUE(core_.why_closed());
}

/// Two busy CPUs for each of which `waiting` tasks wait, and a load average of 6 of at most 5.
class LoadAverage : public Cpu {
 protected:
  bool stops(double waiting, bool is_counted = true) {
    for (int i = 0; i < 2; ++i) {
      used_ += cpus_;
      now_ += 1;
      UseCounters counters;
      counters.at = at(now_);
      counters.cpus = cpus_;
      counters.levels = {{"host", seconds(used_), seconds(cpus_ * now_)}};
      counters.yielding = seconds(niced_);
      waited_ += waiting * cpus_;
      if (is_counted) counters.run_delay = {.ran = seconds(used_), .waited = seconds(waited_)};
      core_.observe_use(counters);
    }
    Reading reading;
    reading.conditions.push_back({"load1", 6, 5, {}, Unit::count, 1.2});
    core_.observe({{{at(now_), reading}, Duration{0}}}, at(now_));
    return core_.why_closed().has_value();
  }

 private:
  double waited_ = 0;
};

TEST_F(LoadAverage, OfAMinuteAgoStopsNothing) {
  EXPECT_FALSE(stops(1)) << "four tasks run or wait now";
}

TEST_F(LoadAverage, StopsWhileSoManyTasksRunOrWaitThatItWouldStayRed) {
  EXPECT_TRUE(stops(1.3)) << "4.6 of 5";
}

TEST_F(LoadAverage, StopsBesideNicedWorkOfManyTasks) {
  niced_ = 100;
  EXPECT_TRUE(stops(1.5));
}

TEST_F(LoadAverage, StopsAtTheKneeWhereTheKernelDoesNotCountTasks) { EXPECT_TRUE(stops(0, false)); }

TEST_F(Cpu, TheFirstJobsWaitForTheCpusBeforeTheirUseIsMeasured) {
  EXPECT_EQ(submit("compile", 20).size(), 2u);
  EXPECT_EQ(limiting(), "needs 1.0 cores, 0.5 of 2.5 are free");
}

TEST_F(Cpu, CountersThatStandStillHoldNobodyBack) {
  now_ += 3;
  EXPECT_EQ(submit("compile", 20).size(), 20u);
}

/// A window of one job, idle CPUs for which tasks wait nevertheless, and jobs that end at once.
class BriefJobs : public Cpu {
 protected:
  Points size_after(int jobs_per_second) {
    GovernorOptions small = options();
    small.window.initial = small.window.minimum = Points{10};
    core_ = Core(small, model(), {fakes::known("load")}, at(now_));
    for (int second = 0; second < 2; ++second) {
      for (int i = 0; i < jobs_per_second; ++i) {
        core_.finish(submit("sleep").at(0).slot, Outcome::ok, at(now_));
      }
      pass_second_with_queue();
    }
    submit("compile", 2);
    core_.adjust_window(at(now_));
    return core_.size();
  }

 private:
  void pass_second_with_queue() {
    used_ += 0.2;
    now_ += 1;
    UseCounters counters;
    counters.at = at(now_);
    counters.cpus = cpus_;
    counters.levels = {{"host", seconds(used_), seconds(cpus_ * now_)}};
    counters.run_delay = {.ran = seconds(used_), .waited = seconds(now_)};
    fakes::show(core_, {0}, at(now_));
    core_.observe_use(counters);
  }
};

TEST_F(BriefJobs, ThatEachWaitForMillisecondsLetTheWindowGrow) {
  EXPECT_EQ(size_after(90), Points{10}) << "one task waits all the time: 11 ms for each";
  EXPECT_EQ(size_after(110), Points{20});
}

TEST_F(Cpu, AnotherLawMeasuresTheCpusButDecidesAsBefore) {
  GovernorOptions adaptive = options();
  adaptive.window.law = Law::adaptive;
  core_ = Core(adaptive, model(), {}, at(now_));
  show(0);
  for (int i = 0; i < 3; ++i) pass_second(2);
  EXPECT_EQ(submit("compile", 20).size(), 20u);
  ASSERT_TRUE(core_.status(at(now_)).cpu);
  EXPECT_EQ(core_.status(at(now_)).cpu->busy, 1);
}

}  // namespace
}  // namespace sluice::cpu_test
