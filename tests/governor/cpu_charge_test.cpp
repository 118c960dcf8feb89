// Under `law: knee` the cost of a job follows its demand for CPUs.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "cpu_fixture.h"

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
