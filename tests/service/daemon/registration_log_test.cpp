// The log messages of an executor that starts and stops taking work.
#include "service/daemon/registration_log.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::seconds;

TimePoint at(int second) { return TimePoint{} + seconds(second); }

TEST(RegistrationLog, TheFirstChangeIsSaidAtOnce) {
  RegistrationLog log;
  EXPECT_EQ(log.change(false, "paused by the operator", at(0)),
            "deregistered: paused by the operator");
  EXPECT_EQ(log.due(at(60)), std::nullopt) << "nothing followed it";
  EXPECT_EQ(log.change(true, "open", at(61)), "registered: takes work")
      << "after a calm span the next one is a first one";
}

TEST(RegistrationLog, FlapsOfASpanAreOneLineAtItsEndWithCountsAndReasons) {
  RegistrationLog log;
  log.change(true, "open", at(-9));
  EXPECT_EQ(log.change(false, "draining", at(-8)), "deregistered: draining")
      << "its start was none";
  EXPECT_EQ(log.due(at(52)), std::nullopt);
  log.change(true, "open", at(0));
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(log.change(false, "sensor load is red", at(1 + 4 * n)), std::nullopt);
    EXPECT_EQ(log.change(true, "open", at(2 + 4 * n)), std::nullopt);
  }
  EXPECT_EQ(log.change(false, "the window is full", at(50)), std::nullopt);
  EXPECT_EQ(log.due(at(59)), std::nullopt);
  EXPECT_EQ(log.due(at(60)),
            "registration changed again: deregistered 4 times (sensor load is red: 3 times; the "
            "window is full: 1 time), registered 3 times; now it takes none");
  EXPECT_EQ(log.change(true, "open", at(61)), std::nullopt) << "it still flaps";
  EXPECT_EQ(log.due(at(120)),
            "registration changed again: deregistered 0 times, registered 1 time; now it takes "
            "work");
}

TEST(RegistrationLog, AnEndLeavesNothingUnsaid) {
  RegistrationLog log;
  EXPECT_EQ(log.rest(), std::nullopt);
  log.change(false, "paused by the operator", at(0));
  EXPECT_EQ(log.rest(), std::nullopt);
  log.change(true, "open", at(1));
  EXPECT_NE(log.rest(), std::nullopt);
  EXPECT_EQ(log.rest(), std::nullopt) << "once";
}

}  // namespace
}  // namespace sluice
