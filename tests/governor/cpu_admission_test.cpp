// The CPUs under `law: knee`: costs that follow demand, feed-forward, and whom it lets pass.

#include "governor/cpu_admission.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/seconds.h"
#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;

Duration seconds(double count) { return from_seconds(count); }

/// A machine with two CPUs, a model with settable answers, and virtual time.
class Cpu : public ::testing::Test {
 protected:
  Cpu() : core_(options(), model(), {fakes::known("load")}, at(0)) { show(0); }

  static GovernorOptions options() {
    GovernorOptions options = fakes::window_of(200, 200);
    options.window.law = Law::knee;
    return options;
  }

  /// "compile" needs a core, "sleep" and "copy" next to none, "wide" three; nothing is known of
  /// others.
  static CostModel model() {
    return [](const JobRequest& job) {
      Prediction prediction{Points{10}};
      if (job.key == "compile") prediction.cores = 1;
      if (job.key == "wide") prediction.cores = 3;
      if (job.key == "copy") prediction.cores = 0.01;
      if (job.key == "late") {
        prediction.cores = 0.2;
        prediction.late_cores = 1;
        prediction.profile.phases = {CpuPhase{seconds(10), 0}, CpuPhase{seconds(12), 1}};
        prediction.profile.count = 2;
      }
      if (job.key == "slow") prediction.ramp = seconds(3);
      if (job.key == "sleep") {
        prediction.cost = Points{1};
        prediction.cores = 0.01;
        prediction.sleeps = true;
      }
      return prediction;
    };
  }

  /// A second passes in which the machine uses `cores`, and the law runs.
  void pass_second(double cores) {
    used_ += cores;
    now_ += 1;
    show(0);
    core_.adjust_window(at(now_));
  }
  void show(double load) {
    fakes::show(core_, {load}, at(now_));
    UseCounters counters;
    counters.at = at(now_);
    counters.cpus = cpus_;
    counters.running = 1;
    counters.blocked = blocked_;
    counters.sectors = static_cast<std::uint64_t>(1000 * now_);
    counters.levels = {{"host", seconds(used_), seconds(cpus_ * now_)}};
    counters.yielding = seconds(niced_);
    core_.observe_use(counters);
  }

  static JobRequest job(const std::string& key) {
    JobRequest request;
    request.key = key;
    request.measured = true;
    return request;
  }
  std::vector<Admitted> submit(const std::string& key, int count = 1) {
    for (int i = 0; i < count; ++i) core_.submit(job(key), at(now_));
    return core_.pass(at(now_));
  }
  void measure(const Admitted& job, double wall, double cpu, double delay = 0) {
    JobUsage usage;
    usage.wall = seconds(wall);
    usage.cpu = seconds(cpu);
    usage.cpu_delay = seconds(delay);
    core_.measured(job.slot, usage, at(now_));
  }
  std::string limiting() {
    const Status status = core_.status(at(now_));
    return status.limiting ? to_sentence(*status.limiting) : "";
  }

  double now_ = 0, used_ = 0, niced_ = 0, cpus_ = 2;
  std::uint64_t blocked_ = 0;  ///< Tasks that wait for I/O.
  Core core_;
};

TEST_F(Cpu, AMeasuredJobHoldsWhatItNeedsAfterItsRamp) {
  pass_second(0);
  const auto admitted = submit("unknown");
  ASSERT_EQ(admitted.size(), 1u);
  measure(admitted[0], 0.5, 0.1);
  core_.adjust_window(at(now_ + 0.5));
  EXPECT_EQ(core_.usage(), Points{10}) << "in its ramp it may still need what is expected";
  pass_second(0.2);
  measure(admitted[0], 1, 0.2);
  core_.adjust_window(at(now_));
  EXPECT_EQ(core_.usage(), Points{2});
}

TEST_F(Cpu, DemandRisesAtOnce) {
  pass_second(0);
  const auto admitted = submit("sleep");
  pass_second(0);
  measure(admitted[0], 1, 0);
  core_.adjust_window(at(now_));
  EXPECT_EQ(core_.usage(), Points{1});
  pass_second(2);
  measure(admitted[0], 2, 2);
  core_.adjust_window(at(now_));
  EXPECT_EQ(core_.usage(), Points{20});
}

TEST_F(Cpu, ACostThatWasDeclaredStays) {
  pass_second(0);
  JobRequest request = job("compile");
  request.cost = Points{7};
  core_.submit(request, at(now_));
  const auto admitted = core_.pass(at(now_));
  ASSERT_EQ(admitted.size(), 1u);
  for (int i = 1; i <= 5; ++i) {
    pass_second(2);
    measure(admitted[0], i, 2 * i);
    core_.adjust_window(at(now_));
    EXPECT_EQ(core_.usage(), Points{7});
  }
}

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

TEST_F(Cpu, APhaseThatIsDueIsChargedBeforeItIsSeen) {
  pass_second(0);
  const auto late = submit("late");
  ASSERT_EQ(late.size(), 1u);
  const auto wait_until = [&](double age) {
    while (now_ < 1 + age) {
      pass_second(0);
      measure(late[0], now_ - 1, 0);
    }
    core_.adjust_window(at(now_));
  };
  wait_until(8);
  EXPECT_EQ(core_.usage(), Points{1});
  EXPECT_NEAR(core_.status(at(now_)).cpu->demand, 0, 0.01);
  wait_until(10);
  EXPECT_EQ(core_.usage(), Points{10});
  EXPECT_NEAR(core_.status(at(now_)).cpu->demand, 1, 0.01);
  EXPECT_EQ(submit("compile", 5).size(), 1u) << "1 + 1 fit in 2.5";
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

TEST_F(Cpu, ARampThatWasLearnedIsWaitedFor) {
  pass_second(0);
  const auto slow = submit("slow");
  for (int i = 1; i <= 3; ++i) {
    pass_second(0);
    measure(slow[0], i, 0);
    core_.adjust_window(at(now_));
    EXPECT_EQ(core_.usage(), i < 3 ? Points{10} : Points{1}) << i;
  }
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
  EXPECT_EQ(limiting(),
            "nobody knows when it needs 1.0 cores; such jobs may come to need 16.0 together, 0.0 "
            "are free");
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

TEST_F(Cpu, SleepersThatEndLeaveNoRoomForAsManyCompilers) {
  pass_second(0);
  const auto sleepers = submit("sleep", 100);
  ASSERT_EQ(sleepers.size(), 100u);
  for (const Admitted& each : sleepers) core_.finish(each.slot, Outcome::ok, at(now_));
  EXPECT_EQ(submit("compile", 20).size(), 2u);
}

TEST_F(Cpu, SleepersDoNotWaitBehindCompilers) {
  pass_second(0);
  submit("compile", 5);
  EXPECT_EQ(submit("sleep", 40).size(), 40u);
}

TEST_F(Cpu, WhileTasksWaitForTheDiskSleepersKeepToTheWindow) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{10};
  core_ = Core(small, model(), {}, at(now_));
  pass_second(0);
  blocked_ = 9;
  pass_second(0.1);
  EXPECT_EQ(submit("sleep", 30).size(), static_cast<std::size_t>(core_.size().value));
  blocked_ = 0;
  pass_second(0.1);
  EXPECT_EQ(submit("sleep").size(), 21u) << "the disk is free again";
}

TEST_F(Cpu, SleepersAreAdmittedWhateverTheSizeUpToTheMaximum) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{10};
  small.window.maximum = Points{40};
  core_ = Core(small, model(), {}, at(now_));
  EXPECT_EQ(submit("sleep", 100).size(), 40u);
  EXPECT_EQ(core_.size(), Points{10});
}

TEST_F(Cpu, SleepersWaitBehindAJobThatHasWaitedTooLong) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{20};
  core_ = Core(small, model(), {}, at(now_));
  ASSERT_EQ(submit("other", 2).size(), 2u);
  ASSERT_EQ(submit("other").size(), 0u);
  now_ += 100000;
  EXPECT_EQ(submit("sleep").size(), 0u);
  EXPECT_EQ(core_.job(JobId{4}, at(now_))->refusal->ahead, JobId{3});
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

TEST_F(Cpu, AnIdleCommandStartsOneJobWhateverTheLoad) {
  for (int i = 0; i < 2; ++i) pass_second(2);
  show(2);
  EXPECT_EQ(submit("compile").size(), 0u) << "a served executor leaves it to others";
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  core_.reload(command, model(), {fakes::known("load")}, at(now_));
  EXPECT_EQ(core_.pass(at(now_)).size(), 1u);
  EXPECT_EQ(submit("compile").size(), 0u) << "but only one";
}

TEST_F(Cpu, ACommandUsesHalfOfTheCpusBesideAGreedyNeighbour) {
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  core_ = Core(command, model(), {fakes::known("load")}, at(now_));
  cpus_ = 8;
  for (int i = 0; i < 2; ++i) pass_second(8);
  show(2);
  EXPECT_EQ(submit("compile", 8).size(), 4u) << "the scheduler divides the rest";
  EXPECT_TRUE(core_.why_closed());
}

TEST_F(Cpu, ACommandsSleepersGoOnBesideAGreedyNeighbour) {
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  core_ = Core(command, model(), {fakes::known("load")}, at(now_));
  for (int i = 0; i < 2; ++i) pass_second(2);
  show(2);
  EXPECT_EQ(submit("sleep", 40).size(), 40u);
  EXPECT_EQ(submit("compile", 8).size(), 1u) << "they are not in the way of its half";
  EXPECT_EQ(submit("sleep").size(), 0u) << "half of the CPUs is used";
}

TEST_F(Cpu, ACommandsHalfIsOfTheCpusAndNotOfPoints) {
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  command.least_cost = Points{10};
  core_ = Core(command, model(), {fakes::known("load")}, at(now_));
  for (int i = 0; i < 2; ++i) pass_second(2);
  show(2);
  EXPECT_EQ(submit("compile", 8).size(), 1u) << "each costs the least there is";
}

TEST_F(Cpu, AFullDiskHoldsAllButOneJobOfACommand) {
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  core_ = Core(command, model(), {fakes::known("io_pressure")}, at(now_));
  for (int i = 0; i < 2; ++i) pass_second(0);
  show(2);
  EXPECT_EQ(submit("sleep", 8).size(), 1u);
}

TEST_F(Cpu, TheFirstJobsWaitForTheCpusBeforeTheirUseIsMeasured) {
  EXPECT_EQ(submit("compile", 20).size(), 2u);
  EXPECT_EQ(limiting(), "needs 1.0 cores, 0.5 of 2.5 are free");
}

TEST_F(Cpu, CountersThatStandStillHoldNobodyBack) {
  now_ += 3;
  EXPECT_EQ(submit("compile", 20).size(), 20u);
}

TEST_F(Cpu, AnExecutorAtTheKneeTakesNoMoreWork) {
  pass_second(0);
  const auto admitted = submit("compile", 2);
  pass_second(2);
  for (const Admitted& each : admitted) measure(each, 1, 1);
  pass_second(2);
  ASSERT_TRUE(core_.why_full());
  EXPECT_EQ(to_sentence(*core_.why_full()), "every CPU is busy");
  const auto blockers = core_.status(at(now_)).blockers;
  ASSERT_EQ(blockers.size(), 1u);
  EXPECT_EQ(to_sentence(blockers[0]), "every CPU is busy");
}

TEST_F(Cpu, AChangeOfTheWindowKeepsItsNumbers) {
  GovernorOptions small = options();
  small.window.initial = Points{10};
  small.window.minimum = Points{10};
  core_ = Core(small, model(), {fakes::known("load")}, at(now_));
  show(0);
  pass_second(0);
  ASSERT_LT(submit("unknown", 9).size(), 9u);
  pass_second(0.68);
  const auto change = core_.status(at(now_)).last_change;
  ASSERT_TRUE(change);
  EXPECT_GT(change->to, change->from);
  EXPECT_EQ(to_sentence(*change), "grown " + std::to_string(change->from.value) + " -> " +
                                      std::to_string(change->to.value) +
                                      " points: 34 % busy, 8 jobs wait");
}

TEST(WindowChange, IsSaidWithTheNumbersBehindIt) {
  struct Row {
    WindowCause cause;
    const char *blind, *measured;
  };
  const Row rows[] = {
      {WindowCause::slow_start, "grown 60 -> 24 points",
       "grown 60 -> 24 points: 34 % busy, 41 jobs wait"},
      {WindowCause::growth, "grown 60 -> 24 points",
       "grown 60 -> 24 points: 34 % busy, 41 jobs wait"},
      {WindowCause::knee, "holds 24", "holds 24: 34 % busy, 0.18 tasks wait for each CPU"},
      {WindowCause::yield, "yields 60 -> 24 points",
       "yields 60 -> 24 points: 34 % busy, 0.18 tasks wait for each CPU"},
      {WindowCause::unused, "falls 60 -> 24 points, not half used",
       "falls 60 -> 24 points, not half used: 34 % busy, 0.18 tasks wait for each CPU"},
      {WindowCause::red, "cut 60 -> 24 points", "cut 60 -> 24 points"},
      {WindowCause::idle_restart, "back 60 -> 24 points, idle for long",
       "back 60 -> 24 points, idle for long"},
      {WindowCause::reload, "set 60 -> 24 points by the reloaded configuration",
       "set 60 -> 24 points by the reloaded configuration"}};
  for (const Row& row : rows) {
    WindowChange change{at(0), Points{60}, Points{24}, row.cause, ""};
    EXPECT_EQ(to_sentence(change), row.blind);
    change.cpu = CpuStatus{2, 0.336, 0.18, 2.4, 0};
    change.pending = 41;
    EXPECT_EQ(to_sentence(change), row.measured);
  }
}

TEST(WindowChange, ACutByASensorSaysWhatTheSensorSaid) {
  WindowChange change{at(0), Points{60}, Points{40}, WindowCause::red, "load"};
  EXPECT_EQ(to_sentence(change), "cut 60 -> 40 points by load");
  change.said = "load 6.0 of at most 5.0";
  EXPECT_EQ(to_sentence(change), "cut 60 -> 40 points by load: load 6.0 of at most 5.0");
}

TEST(WindowChange, RoundsItsNumbers) {
  WindowChange change{at(0), Points{30}, Points{60}, WindowCause::growth, ""};
  change.cpu = CpuStatus{2, 0.336, 1.999, 2.4, 0};
  change.pending = 1;
  EXPECT_EQ(to_sentence(change), "grown 30 -> 60 points: 34 % busy, 1 job waits");
  change.cause = WindowCause::knee;
  EXPECT_EQ(to_sentence(change), "holds 60: 34 % busy, 2.00 tasks wait for each CPU");
  change.cpu->waiting = 1.05;
  EXPECT_EQ(to_sentence(change), "holds 60: 34 % busy, 1.05 tasks wait for each CPU");
}

TEST_F(Cpu, WithoutPressureFilesTheJobsOwnWaitCounts) {
  pass_second(0);
  const auto jobs = submit("compile", 2);
  for (const Admitted& job : jobs) measure(job, 1, 0.7, 0.3);
  pass_second(1.4);
  ASSERT_TRUE(core_.status(at(now_)).cpu);
  EXPECT_DOUBLE_EQ(core_.status(at(now_)).cpu->waiting, 0.3) << "no other file tells of it here";
}

TEST_F(Cpu, NicedJobsOfItsOwnCountAsUse) {
  pass_second(0);
  const auto jobs = submit("compile", 2);
  ASSERT_EQ(jobs.size(), 2u);
  for (int second = 1; second <= 3; ++second) {
    for (const Admitted& job : jobs) measure(job, second, second);
    niced_ += 2;
    pass_second(0);
  }
  ASSERT_TRUE(core_.status(at(now_)).cpu);
  EXPECT_DOUBLE_EQ(core_.status(at(now_)).cpu->busy, 1) << "`nice make`";
  EXPECT_DOUBLE_EQ(core_.status(at(now_)).cpu->others, 0);
}

TEST_F(Cpu, NicedWorkOfOthersCountsAsFreeBesideJobs) {
  pass_second(0);
  const auto jobs = submit("compile");
  for (int second = 1; second <= 3; ++second) {
    measure(jobs.at(0), second, second);
    niced_ += 1;
    pass_second(1);
  }
  ASSERT_TRUE(core_.status(at(now_)).cpu);
  EXPECT_DOUBLE_EQ(core_.status(at(now_)).cpu->busy, 0.5);
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

TEST_F(Cpu, IsShortOfCapacityWhileJobsWaitForBusyCpusAndTenSecondsMore) {
  pass_second(0);
  const auto admitted = submit("compile", 3);
  pass_second(2);
  EXPECT_TRUE(core_.status(at(now_)).short_of_capacity);
  for (const Admitted& each : admitted) core_.finish(each.slot, Outcome::ok, at(now_));
  for (const Admitted& each : core_.pass(at(now_))) core_.finish(each.slot, Outcome::ok, at(now_));
  for (int i = 0; i < 9; ++i) pass_second(0);
  EXPECT_TRUE(core_.status(at(now_)).short_of_capacity);
  pass_second(0);
  EXPECT_FALSE(core_.status(at(now_)).short_of_capacity);
}

TEST_F(Cpu, IsShortOfCapacityAtItsLargestWindowWhileJobsWait) {
  GovernorOptions narrow = options();
  narrow.window.initial = narrow.window.minimum = narrow.window.maximum = Points{10};
  core_ = Core(narrow, model(), {fakes::known("load")}, at(now_));
  show(0);
  pass_second(0);
  submit("unknown", 5);
  pass_second(0);
  EXPECT_EQ(core_.status(at(now_)).limiting->binding, "window");
  EXPECT_TRUE(core_.status(at(now_)).short_of_capacity);
}

TEST_F(Cpu, IsShortOfCapacityWhileMoreJobsGetNoMoreIoDone) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{10};
  core_ = Core(small, model(), {fakes::known("load")}, at(now_));
  show(0);
  pass_second(0);
  std::map<std::uint32_t, double> running;
  const auto pass_seconds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      for (const Admitted& each : core_.pass(at(now_))) running[each.slot] = now_;
      pass_second(0.1);
      for (const auto& [slot, since] : running) {
        JobUsage usage;
        usage.wall = seconds(now_ - since);
        usage.cpu = seconds((now_ - since) / 100);
        core_.measured(slot, usage, at(now_));
      }
    }
  };
  for (int i = 0; i < 500; ++i) core_.submit(job("copy"), at(now_));
  pass_seconds(2);
  EXPECT_FALSE(core_.status(at(now_)).short_of_capacity) << "the window grows";
  blocked_ = 9;
  pass_seconds(8);
  EXPECT_LT(core_.size(), Points{200});
  EXPECT_TRUE(core_.status(at(now_)).short_of_capacity);
}

/// Whatever jobs show: usage is the sum of what they hold, none below a point nor above all CPUs.
TEST_F(Cpu, UsageIsTheSumOfWhatTheJobsHold) {
  std::mt19937 random(1);
  std::map<std::uint32_t, double> running;
  for (int step = 0; step < 300; ++step) {
    for (const Admitted& each : submit(step % 3 == 0 ? "compile" : "sleep", step % 4)) {
      running[each.slot] = now_;
    }
    pass_second(std::uniform_real_distribution<>(0, 2)(random));
    for (const auto& [slot, began] : running) {
      const double part = std::uniform_real_distribution<>(0, 3)(random);
      measure({JobId{}, Points{}, slot, {}}, now_ - began, part * (now_ - began));
    }
    if (!running.empty() && step % 5 == 0) {
      core_.finish(running.begin()->first, Outcome::ok, at(now_));
      running.erase(running.begin());
    }
    core_.adjust_window(at(now_));
    Points sum;
    for (const JobView& each : core_.jobs(at(now_))) {
      if (each.state != JobState::running) continue;
      EXPECT_GE(each.cost, Points{1});
      EXPECT_LE(each.cost, Points{20});
      sum += each.cost;
    }
    ASSERT_EQ(core_.usage(), sum);
  }
  for (const auto& [slot, began] : running) core_.finish(slot, Outcome::ok, at(now_));
}

}  // namespace
}  // namespace sluice
