// Jobs that use next to no CPU, beside those that compute.
#include <gtest/gtest.h>

#include "cpu_fixture.h"

namespace sluice::cpu_test {
namespace {

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

}  // namespace
}  // namespace sluice::cpu_test
