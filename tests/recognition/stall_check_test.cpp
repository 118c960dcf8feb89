#include "recognition/stall_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <string>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Nobody has a permit. The held process has heard that the window is full.
class IdleHost : public ::testing::Test {
 protected:
  /// The daemon's status names what the first job waits for before each look, four times a second.
  int observe(Duration span, WaitsFor said) {
    int gone = 0;
    for (const TimePoint until = now + span; now < until;) {
      now += milliseconds(250);
      check.report_idle(said);
      gone += has_gone() ? 1 : 0;
    }
    return gone;
  }
  /// The same while others run.
  int observe_beside_others(Duration span) {
    int gone = 0;
    for (const TimePoint until = now + span; now < until;) {
      now += milliseconds(250);
      gone += has_gone() ? 1 : 0;
    }
    return gone;
  }
  bool has_gone() {
    const auto let_go = check.observe({}, {held}, {}, now);
    if (let_go) why = let_go->why;
    return let_go.has_value();
  }

  StallCheck check;
  std::string why;  ///< Of the last one that went.
  TimePoint now{seconds(1000)};
  /// No process has this number.
  HeldProcess held{std::numeric_limits<pid_t>::max(), TimePoint{seconds(900)}, WaitsFor::window};
};

TEST_F(IdleHost, WhereTheWindowIsFullOneGoesAfterASecond) {
  EXPECT_EQ(observe(milliseconds(1500), WaitsFor::window), 1);
  EXPECT_EQ(why, "no other process of the build made progress");
}

TEST_F(IdleHost, WhereOthersRunOneGoesAfterThirtySecondsWithoutAPermitAndThatIsSaid) {
  EXPECT_EQ(observe_beside_others(seconds(30)), 0);
  EXPECT_EQ(observe_beside_others(milliseconds(1500)), 1);
  EXPECT_EQ(why, "the build has had none for 30 s");
}

TEST_F(IdleHost, OfARedSensorTheStatusTellsBeforeTheHeldProcessHears) {
  EXPECT_EQ(observe(seconds(5), WaitsFor::sensor), 0);
  EXPECT_EQ(observe(milliseconds(500), WaitsFor::sensor), 1);
  EXPECT_EQ(observe(seconds(9), WaitsFor::sensor), 0);
  EXPECT_EQ(observe(milliseconds(500), WaitsFor::window), 1) << "it is red no more";
}

}  // namespace
}  // namespace sluice
