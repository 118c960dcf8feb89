#include "recognition/stop_reasons.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/process_table.h"
#include "fixture.h"
#include "real_cgroup.h"

namespace sluice::testing {
namespace {

class WithStopReasons : public ::testing::TestWithParam<StopMethod> {
 protected:
  bool is_stopped() const {
    const auto facts = read_process(child.pid());
    return facts && facts->is_stopped();
  }
  bool stops() {
    return eventually([&] { return is_stopped(); });
  }
  bool runs() {
    return eventually([&] {
      stops_of_build.stopper().settle();
      return !is_stopped();
    });
  }

  const Child child{[] {
    while (true) pause();
  }};
  StopReasons stops_of_build{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Methods, WithStopReasons,
                         ::testing::Values(StopMethod::best, StopMethod::signals));

TEST_P(WithStopReasons, APermitThatComesWhileTheBrakeSuspendsIsUsedOnceItEnds) {
  ASSERT_TRUE(stops_of_build.hold(child.pid()));
  stops_of_build.suspend(1, {child.pid()});
  ASSERT_TRUE(stops());
  stops_of_build.go_on(child.pid());
  EXPECT_TRUE(stops_of_build.stopper().holds(child.pid()));
  EXPECT_TRUE(is_stopped());
  EXPECT_EQ(stops_of_build.waiting(), 0u);
  stops_of_build.resume(1);
  EXPECT_TRUE(runs());
}

TEST_P(WithStopReasons, WhatWaitsForAPermitWaitsAlsoAfterTheBrake) {
  stops_of_build.suspend(1, {child.pid()});
  ASSERT_TRUE(stops());
  ASSERT_TRUE(stops_of_build.hold(child.pid()));
  stops_of_build.resume(1);
  EXPECT_TRUE(stops_of_build.stopper().holds(child.pid()));
  EXPECT_TRUE(is_stopped());
  stops_of_build.go_on(child.pid());
  EXPECT_TRUE(runs());
}

TEST_P(WithStopReasons, OfAnotherRunTheBrakeContinuesNothing) {
  stops_of_build.suspend(1, {child.pid()});
  stops_of_build.suspend(2, {child.pid()});
  stops_of_build.resume(2);
  EXPECT_TRUE(stops_of_build.stopper().holds(child.pid()));
  stops_of_build.resume(1);
  EXPECT_TRUE(runs());
}

TEST_P(WithStopReasons, WhatASuspendedProcessHadJustStartedIsSuspendedWithIt) {
  const Child started{[] {
    while (true) pause();
  }};
  stops_of_build.suspend(1, {child.pid()});
  stops_of_build.started(started.pid(), child.pid());
  EXPECT_TRUE(stops_of_build.stopper().holds(started.pid()));
  stops_of_build.resume(1);
  EXPECT_FALSE(stops_of_build.stopper().holds(started.pid()));
}

}  // namespace
}  // namespace sluice::testing
