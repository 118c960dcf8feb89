#include "recognition/holder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "base/process_table.h"
#include "fixture.h"
#include "real_cgroup.h"

namespace sluice::testing {
namespace {

using State = Holder::State;

bool is_stopped(pid_t process) {
  const auto facts = read_process(process);
  return facts && facts->is_stopped();
}

Child sleeper() {
  return Child([] {
    while (true) pause();
  });
}

TEST(Holder, AStopIsSeenByTracersSudoAndShellsWithJobControl) {
  EXPECT_FALSE(is_stop_seen({0, "make", false}));
  EXPECT_FALSE(is_stop_seen({0, "make", true}));
  EXPECT_FALSE(is_stop_seen({0, "bash", false}));
  EXPECT_FALSE(is_stop_seen({0, "ninja", true}));
  EXPECT_TRUE(is_stop_seen({0, "bash", true}));
  EXPECT_TRUE(is_stop_seen({7, "make", false}));
  for (const char* each : {"sudo", "su", "runuser", "script", "nsenter", "sg"}) {
    EXPECT_TRUE(is_stop_seen({0, each, false})) << each;
  }
}

TEST(Holder, StopsAndContinuesAProcess) {
  const Child child = sleeper();
  Holder holder;
  ASSERT_TRUE(holder.hold(child.pid()));
  EXPECT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  EXPECT_EQ(holder.state_of(child.pid()), State::held);
  holder.go_on(child.pid());
  EXPECT_TRUE(eventually([&] { return !is_stopped(child.pid()); }));
  EXPECT_EQ(holder.size(), 0u);
}

TEST(Holder, LeavesAProcessAloneThatSomebodyElseHasStopped) {
  const Child child = sleeper();
  kill(child.pid(), SIGSTOP);
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  Holder holder;
  EXPECT_FALSE(holder.hold(child.pid()));
  holder.go_on(child.pid());
  EXPECT_TRUE(is_stopped(child.pid()));
}

TEST(Holder, SeesThatSomebodyHasContinuedItOrThatItIsToEnd) {
  const Child child = sleeper();
  Holder holder;
  ASSERT_TRUE(holder.hold(child.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  kill(child.pid(), SIGTERM);
  EXPECT_EQ(holder.state_of(child.pid()), State::ending);
  const Child other = sleeper();
  ASSERT_TRUE(holder.hold(other.pid()));
  ASSERT_TRUE(eventually([&] { return is_stopped(other.pid()); }));
  kill(other.pid(), SIGCONT);
  EXPECT_TRUE(eventually([&] { return holder.state_of(other.pid()) == State::running; }));
}

TEST(Holder, ItsEndContinuesAll) {
  const Child child = sleeper();
  {
    Holder holder;
    ASSERT_TRUE(holder.hold(child.pid()));
    ASSERT_TRUE(eventually([&] { return is_stopped(child.pid()); }));
  }
  EXPECT_TRUE(eventually([&] { return !is_stopped(child.pid()); }));
}

TEST(Holder, HoldsNothingThatIsGone) {
  Holder holder;
  EXPECT_FALSE(holder.hold(0x7fffffff));
  EXPECT_EQ(holder.state_of(0x7fffffff), State::gone);
  holder.go_on(0x7fffffff);
}

}  // namespace
}  // namespace sluice::testing
