// The status of the CPUs under `law: knee`.
#include <gtest/gtest.h>

#include <map>

#include "cpu_fixture.h"

namespace sluice::cpu_test {
namespace {

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
                                      " points: 34% busy, 8 jobs wait");
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

}  // namespace
}  // namespace sluice::cpu_test
