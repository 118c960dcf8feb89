// A command that a user waits for, beside others that keep the CPUs or the disk busy.
#include <gtest/gtest.h>

#include "cpu_fixture.h"

namespace sluice::cpu_test {
namespace {

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

TEST_F(Cpu, RedMemoryHoldsEvenTheOneJobOfACommand) {
  GovernorOptions command = options();
  command.when_red = GovernorOptions::WhenRed::use_half;
  core_ = Core(command, model(), {fakes::known("memory")}, at(now_));
  for (int i = 0; i < 2; ++i) pass_second(0);
  show(2);
  EXPECT_EQ(submit("compile").size(), 0u);
  EXPECT_EQ(limiting(), "sensor memory is red");
}

}  // namespace
}  // namespace sluice::cpu_test
