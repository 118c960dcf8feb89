// The brake with real processes, under a meter that the test controls.
#include "process/local_brake.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <memory>

#include "base/seconds.h"
#include "runner_helpers.h"

namespace sluice::testing {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TimePoint at(double seconds) { return TimePoint(from_seconds(seconds)); }

/// A child with a child of its own, both of which sleep until killed.
class Family {
 public:
  Family() {
    Lifeline line;
    pid_ = fork();
    if (pid_ == 0) {
      const pid_t child = fork();
      [[maybe_unused]] const auto told = child == 0 ? write(line.writer(), "up\n", 3) : 0;
      while (true) pause();
    }
    EXPECT_EQ(line.line(), "up");
  }
  ~Family() {
    for (const ProcessFacts& each : members()) kill(each.pid, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  pid_t pid() const { return pid_; }
  std::vector<ProcessFacts> members() const { return descendants_of(read_processes(), {pid_}); }

  bool comes_to_stop() const {
    return comes_true([&] { return count_stopped() == 2; });
  }
  bool comes_to_go() const {
    return comes_true([&] { return count_stopped() == 0; });
  }

  BrakedRun holding(std::uint64_t number, std::uint64_t mebibytes) const {
    BrakedRun run;
    run.number = number;
    run.process = {pid_, read_process(pid_)->started};
    run.usage.memory = Bytes{mebibytes * kMiB};
    run.expected.bytes = static_cast<double>(mebibytes * kMiB);
    return run;
  }

 private:
  long count_stopped() const {
    const auto all = members();
    return std::ranges::count_if(all, [](const auto& each) { return each.is_stopped(); });
  }

  pid_t pid_ = 0;
};

class LocalBrakeTest : public ::testing::Test {
 protected:
  /// Both jobs grow; the tightest limit has this much in use.
  std::vector<BrakeAction> look_at_growth(std::uint64_t used) {
    used_ = 100;
    brake->poll({elder.holding(1, 300), younger.holding(2, 200)}, at(1));
    used_ = used;
    return brake->poll({elder.holding(1, 500), younger.holding(2, 400)}, at(2));
  }
  void suspend_younger() {
    ASSERT_EQ(look_at_growth(960).size(), 1u);
    ASSERT_TRUE(younger.comes_to_stop());
  }

  std::uint64_t used_ = 0;
  std::unique_ptr<LocalBrake> brake = std::make_unique<LocalBrake>([this](TimePoint) {
    return std::vector<MemoryLimit>{{"/pod", Bytes{1000 * kMiB}, Bytes{used_ * kMiB}}};
  });
  Family elder, younger;
};

TEST_F(LocalBrakeTest, StopsTheYoungestWithAllThatItStarted) {
  const auto actions = look_at_growth(960);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].sentence(), "suspended job " + std::to_string(younger.pid()) +
                                       ", which holds 400.0 MiB: 960.0 MiB of 1000.0 MiB used "
                                       "(/pod)");
  EXPECT_TRUE(younger.comes_to_stop());
  EXPECT_TRUE(elder.comes_to_go());
  EXPECT_TRUE(brake->holds(2));
  EXPECT_TRUE(brake->is_urgent());
}

TEST_F(LocalBrakeTest, ItGoesOnWhenTheElderHasEndedAndItsPauseIsCounted) {
  suspend_younger();
  used_ = 400;
  EXPECT_EQ(brake->suspended_for(2, at(4)), std::chrono::seconds(2));
  const auto actions = brake->poll({younger.holding(2, 400)}, at(5));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].what, BrakeAction::What::resumed);
  EXPECT_TRUE(younger.comes_to_go());
  EXPECT_FALSE(brake->holds_any());
  EXPECT_FALSE(brake->is_urgent());
  EXPECT_EQ(brake->suspended_for(2, at(9)), std::chrono::seconds(3));
}

TEST_F(LocalBrakeTest, WhatAShellLetGoOnIsStoppedAgain) {
  suspend_younger();
  for (const ProcessFacts& each : younger.members()) kill(each.pid, SIGCONT);
  ASSERT_TRUE(younger.comes_to_go());
  EXPECT_TRUE(brake->poll({elder.holding(1, 500), younger.holding(2, 400)}, at(3)).empty());
  EXPECT_TRUE(younger.comes_to_stop());
}

TEST_F(LocalBrakeTest, WhatSomebodyElseStoppedStaysStopped) {
  kill(younger.pid(), SIGSTOP);
  ASSERT_TRUE(comes_true([&] { return read_process(younger.pid())->is_stopped(); }));
  suspend_younger();
  brake->gone(2);
  EXPECT_TRUE(comes_true([&] {
    const auto all = younger.members();
    return std::ranges::count_if(all, [](const auto& each) { return each.is_stopped(); }) == 1;
  }));
  EXPECT_TRUE(read_process(younger.pid())->is_stopped());
}

TEST_F(LocalBrakeTest, NothingIsDoneWhileThereIsRoom) {
  used_ = 500;
  for (const double second : {1, 2}) {
    EXPECT_TRUE(brake->poll({elder.holding(1, 300), younger.holding(2, 200)}, at(second)).empty());
  }
  EXPECT_FALSE(brake->is_urgent());
  EXPECT_TRUE(younger.comes_to_go());
}

TEST_F(LocalBrakeTest, NothingStaysStoppedWhenItIsSwitchedOff) {
  suspend_younger();
  brake.reset();
  EXPECT_TRUE(younger.comes_to_go());
}

TEST_F(LocalBrakeTest, NothingStaysStoppedWhenItsProcessIsKilled) {
  Lifeline line;
  const pid_t owner = fork();
  if (owner == 0) {
    brake = std::make_unique<LocalBrake>([this](TimePoint) {
      return std::vector<MemoryLimit>{{"/pod", Bytes{1000 * kMiB}, Bytes{used_ * kMiB}}};
    });
    look_at_growth(960);
    [[maybe_unused]] const auto told = write(line.writer(), "stopped\n", 8);
    while (true) pause();
  }
  ASSERT_EQ(line.line(), "stopped");
  ASSERT_TRUE(younger.comes_to_stop());
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(younger.comes_to_go());
}

TEST(ResumeOnExit, IsNoChildOfItsProcess) {
  const auto before = read_own_children();
  const ResumeOnExit guard;
  EXPECT_EQ(read_own_children(), before);
}

}  // namespace
}  // namespace sluice::testing
