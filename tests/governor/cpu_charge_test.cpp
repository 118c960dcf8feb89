// Under `law: knee` the cost of a job follows its demand for CPUs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "cpu_fixture.h"
#include "governor/law/cores.h"

namespace sluice::cpu_test {
namespace {

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

TEST_F(Cpu, ALeastCostThatWasWrittenIsChargedToAJobThatUsesNothing) {
  GovernorOptions written = options();
  written.least_cost = Points{4};
  core_ = Core(written, model(), {fakes::known("load")}, at(now_));
  show(0);
  pass_second(0);
  const auto admitted = submit("unknown");
  ASSERT_EQ(admitted.size(), 1u);
  for (int i = 1; i <= 3; ++i) {
    pass_second(0);
    measure(admitted[0], i, 0);
    core_.adjust_window(at(now_));
    EXPECT_EQ(core_.usage(), Points{4}) << i;
  }
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

/// A job that has kept four cores busy, on CPUs whose number changes.
class LearnedOnFourCores : public Cpu {
 protected:
  /// Its cost is at least `least`, whatever the CPUs.
  void begin(GovernorOptions chosen = options(), Points least = Points{1}) {
    core_ = Core(std::move(chosen), learned(least), {fakes::known("load")}, at(now_));
  }

  void pass_second_on(double cpus) {
    now_ += 1;
    available_ += cpus;
    UseCounters counters;
    counters.at = at(now_);
    counters.cpus = cpus;
    counters.levels = {{"host", Duration{0}, seconds(available_)}};
    fakes::show(core_, {0}, at(now_));
    core_.observe_use(counters);
  }

  Points cost_on(double cpus) {
    for (int i = 0; i < 2; ++i) pass_second_on(cpus);
    return submit("four").at(0).cost;
  }

 private:
  static CostModel learned(Points least) {
    return [others = model(), least](const JobRequest& job) {
      if (job.key != "four") return others(job);
      Prediction prediction{Points{40}};
      prediction.cores = 4;
      prediction.least_cost = least;
      return prediction;
    };
  }

  double available_ = 0;
};

TEST_F(LearnedOnFourCores, CostsAllCpusOnFewerOfThem) {
  for (const double cpus : {1.0, 1.5, 2.0, 4.0, 8.0}) {
    begin();
    EXPECT_EQ(cost_on(cpus), std::min(points_of(cpus), Points{40})) << cpus;
  }
}

TEST_F(LearnedOnFourCores, StartsBesideSleepersThatLeaveRoomForAllCpus) {
  GovernorOptions small = options();
  small.window.initial = small.window.minimum = Points{30};
  begin(small);
  for (int i = 0; i < 2; ++i) pass_second_on(2);
  ASSERT_EQ(submit("sleep", 5).size(), 5u);
  EXPECT_EQ(submit("four").size(), 1u) << "5 + 20 are at most 30";
}

TEST_F(LearnedOnFourCores, CostsAllCpusFromTheFirstReadingOn) {
  begin();
  pass_second_on(1);
  EXPECT_EQ(submit("four").at(0).cost, Points{10});
}

TEST_F(LearnedOnFourCores, FollowsTheCpusWhileItWaits) {
  begin();
  for (int i = 0; i < 2; ++i) pass_second_on(2);
  const auto running = submit("four", 2);
  ASSERT_EQ(running.size(), 1u);
  const double began = now_;
  for (const double cpus : {2.0, 1.0, 4.0}) {
    pass_second_on(cpus);
    measure(running.front(), now_ - began, 4 * (now_ - began));
    ASSERT_TRUE(core_.pass(at(now_)).empty());
    EXPECT_EQ(core_.pending_cost(JobId{2}), points_of(cpus));
  }
}

TEST_F(LearnedOnFourCores, CostsNoLessThanALeastCostThatWasWritten) {
  begin(options(), Points{30});
  EXPECT_EQ(cost_on(1), Points{30});
}

TEST_F(LearnedOnFourCores, CostsWhatWasLearnedUnderAnotherLaw) {
  GovernorOptions adaptive = options();
  adaptive.window.law = Law::adaptive;
  begin(adaptive);
  EXPECT_EQ(cost_on(1), Points{40});
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
}  // namespace sluice::cpu_test
