#include "recognition/process_stopper.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "base/process_table.h"
#include "fixture.h"
#include "real_cgroup.h"
#include "recognition/process_facts.h"

namespace sluice::testing {
namespace {

using State = ProcessStopper::State;

bool is_stopped(pid_t process) {
  const auto facts = read_process(process);
  return facts && facts->is_stopped();
}

Child sleeper() {
  return Child([] {
    while (true) pause();
  });
}

TEST(ProcessStopper, AStopBySignalIsSeenBySudoAndShellsWithJobControl) {
  EXPECT_FALSE(is_stop_seen({"make", false}));
  EXPECT_FALSE(is_stop_seen({"make", true}));
  EXPECT_FALSE(is_stop_seen({"bash", false}));
  EXPECT_FALSE(is_stop_seen({"ninja", true}));
  EXPECT_TRUE(is_stop_seen({"bash", true}));
  for (const char* each : {"sudo", "su", "runuser", "script", "nsenter", "sg"}) {
    EXPECT_TRUE(is_stop_seen({each, false})) << each;
  }
}

class AnyHolder : public ::testing::TestWithParam<StopMethod> {
 protected:
  bool settles() {
    return eventually([&] {
      stopper.settle();
      return !stopper.is_settling();
    });
  }

  ProcessStopper stopper{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Methods, AnyHolder,
                         ::testing::Values(StopMethod::best, StopMethod::signals));

TEST_P(AnyHolder, StopsAndContinuesAProcess) {
  const Child child = sleeper();
  ASSERT_TRUE(stopper.hold(child.pid()));
  EXPECT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  EXPECT_EQ(stopper.state_of(child.pid()), State::held);
  stopper.go_on(child.pid());
  EXPECT_TRUE(eventually([&] { return !is_stopped(child.pid()); }));
  EXPECT_EQ(stopper.size(), 0u);
}

TEST_P(AnyHolder, DoesNotContinueWhatSomebodyElseHasStopped) {
  const Child child = sleeper();
  kill(child.pid(), SIGSTOP);
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  EXPECT_EQ(stopper.hold(child.pid()), GetParam() == StopMethod::best);
  stopper.go_on(child.pid());
  EXPECT_TRUE(settles());
  EXPECT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
}

TEST_P(AnyHolder, SeesThatAProcessIsToEnd) {
  const Child child = sleeper();
  ASSERT_TRUE(stopper.hold(child.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  kill(child.pid(), SIGTERM);
  EXPECT_EQ(stopper.state_of(child.pid()), State::ending);
  stopper.go_on(child.pid());
  EXPECT_TRUE(settles());
  EXPECT_TRUE(eventually([&] { return is_over(child.pid()); }));
}

TEST(ProcessStopper, BySignalsSeesThatSomebodyHasContinuedAProcess) {
  const Child child = sleeper();
  ProcessStopper stopper(StopMethod::signals);
  ASSERT_TRUE(stopper.hold(child.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  kill(child.pid(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return stopper.state_of(child.pid()) == State::running; }));
}

TEST(ProcessStopper, ByTraceHoldsWhatSomebodyContinues) {
  const Child child = sleeper();
  ProcessStopper stopper;
  ASSERT_TRUE(stopper.hold(child.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  kill(child.pid(), SIGCONT);
  EXPECT_TRUE(is_stopped(child.pid()));
  EXPECT_EQ(stopper.state_of(child.pid()), State::held);
}

TEST(ProcessStopper, ByTraceLetsWhatATerminalStopsGoOnOnlyAfterwards) {
  const Child child = sleeper();
  ProcessStopper stopper;
  ASSERT_TRUE(stopper.hold(child.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  // As SIGTSTP does, which only counts where there is a terminal.
  kill(child.pid(), SIGSTOP);
  stopper.go_on(child.pid());
  EXPECT_TRUE(eventually([&] {
    stopper.settle();
    return !stopper.is_settling() && read_process(child.pid())->state == 'T';
  }));
  kill(child.pid(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return !is_stopped(child.pid()); }));
}

TEST_P(AnyHolder, ItsEndContinuesAll) {
  const Child child = sleeper();
  {
    ProcessStopper ending(GetParam());
    ASSERT_TRUE(ending.hold(child.pid()));
    ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  }
  EXPECT_TRUE(eventually([&] { return !is_stopped(child.pid()); }));
}

TEST_P(AnyHolder, HoldsNothingThatIsGone) {
  EXPECT_FALSE(stopper.hold(0x7fffffff));
  EXPECT_EQ(stopper.state_of(0x7fffffff), State::gone);
  stopper.go_on(0x7fffffff);
}

}  // namespace
}  // namespace sluice::testing
