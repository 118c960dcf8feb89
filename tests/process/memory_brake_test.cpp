#include "process/memory_brake.h"

#include <gtest/gtest.h>

#include "base/seconds.h"
#include "process/runner.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TimePoint at(double seconds) { return TimePoint(from_seconds(seconds)); }

JobUsage holding(double mebibytes) {
  JobUsage usage;
  usage.memory = Bytes{static_cast<std::uint64_t>(mebibytes * kMiB)};
  return usage;
}

std::vector<MemoryLimit> limits(std::uint64_t used) {
  return {{"host", Bytes{8000 * kMiB}, Bytes{100 * kMiB}},
          {"/pod", Bytes{1000 * kMiB}, Bytes{used * kMiB}}};
}

/// Two real jobs that only wait, under a brake that gets their memory use from the test.
class MemoryBrakeTest : public ::testing::Test {
 protected:
  pid_t start(MemoryBrake::Retry retry) {
    Command command;
    command.argv = {"sleep", "600"};
    const pid_t job = std::get<pid_t>(runner_.start(command));
    brake_.started(job, retry);
    return job;
  }
  void grow(pid_t job, double from, double to) {
    brake_.update_usage(job, holding(from), {to * kMiB}, at(1));
    brake_.update_usage(job, holding(to), {to * kMiB}, at(2));
  }

  Runner runner_{Runner::Groups::off};
  MemoryBrake brake_;
};

TEST_F(MemoryBrakeTest, TheLevelWhereAWholeGroupIsKilledIsNearerToItsLimit) {
  start(MemoryBrake::Retry::never);
  const pid_t younger = start(MemoryBrake::Retry::never);
  auto levels = limits(920);
  EXPECT_TRUE(brake_.poll(levels, runner_).empty());
  levels[1].kill = MemoryLimit::Kill::group;
  const auto actions = brake_.poll(levels, runner_);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].job, younger);
}

TEST_F(MemoryBrakeTest, SuspendsTheYoungestBeforeTheTightestLimitAndSaysWhy) {
  const pid_t elder = start(MemoryBrake::Retry::never);
  const pid_t younger = start(MemoryBrake::Retry::never);
  grow(elder, 300, 500);
  EXPECT_TRUE(brake_.poll(limits(500), runner_).empty());
  grow(younger, 200, 400);
  const auto actions = brake_.poll(limits(900), runner_);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].job, younger);
  EXPECT_EQ(actions[0].level.where, "/pod");
  EXPECT_EQ(actions[0].sentence(), "suspended job " + std::to_string(younger) +
                                       ", which holds 400.0 MiB: 900.0 MiB of 1000.0 MiB used "
                                       "(/pod)");
  EXPECT_TRUE(runner_.is_suspended(younger));
  EXPECT_FALSE(runner_.is_suspended(elder));
}

TEST_F(MemoryBrakeTest, LetsItGoOnWhenTheElderHasEnded) {
  const pid_t elder = start(MemoryBrake::Retry::never);
  const pid_t younger = start(MemoryBrake::Retry::never);
  grow(elder, 300, 500);
  grow(younger, 200, 400);
  brake_.poll(limits(960), runner_);
  ASSERT_TRUE(runner_.is_suspended(younger));
  EXPECT_TRUE(brake_.suspends_any());
  brake_.ended(elder);
  const auto actions = brake_.poll(limits(450), runner_);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].what, BrakeAction::What::resumed);
  EXPECT_FALSE(brake_.suspends_any());
  EXPECT_FALSE(runner_.is_suspended(younger));
}

TEST_F(MemoryBrakeTest, EndsOnlyWhatMayBeRunAgain) {
  const pid_t elder = start(MemoryBrake::Retry::allowed);
  const pid_t younger = start(MemoryBrake::Retry::allowed);
  const pid_t youngest = start(MemoryBrake::Retry::never);
  for (const pid_t job : {elder, younger, youngest}) grow(job, 100, 300);
  brake_.poll(limits(990), runner_);
  ASSERT_TRUE(runner_.is_suspended(younger) && runner_.is_suspended(youngest));
  const auto actions = brake_.poll(limits(995), runner_);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].what, BrakeAction::What::ended);
  EXPECT_EQ(actions[0].job, younger);
  EXPECT_EQ(brake_.counts().ended, 1u);
  brake_.ended(youngest);
  EXPECT_FALSE(brake_.suspends_any()) << "none of those is left";
}

TEST_F(MemoryBrakeTest, KnowsNoLimitAndDoesNothing) {
  start(MemoryBrake::Retry::allowed);
  EXPECT_TRUE(brake_.poll({}, runner_).empty());
}

}  // namespace
}  // namespace sluice
