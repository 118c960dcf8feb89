#include "client/waiting_line.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/seconds.h"

namespace sluice {
namespace {

TEST(WaitingLine, IsDueAfterTwoSecondsWhenTheReasonChangesAndEveryMinute) {
  struct Look {
    double at;
    const char* reason;
    bool is_due;
  };
  const std::vector<Look> looks{
      {0, "window", false},   {1.99, "window", false},  {1.999, "memory", false},
      {2, "window", true},    {2, "window", false},     {30, "window", false},
      {31, "memory", true},   {31.5, "window", true},   {91.4, "window", false},
      {91.5, "window", true}, {151.4, "window", false}, {151.5, "window", true},
  };
  const TimePoint began{std::chrono::hours(7)};
  WaitingLine line(began);
  for (const Look& look : looks) {
    const auto after = from_seconds(look.at);
    EXPECT_EQ(line.is_due(look.reason, began + after), look.is_due) << look.at;
  }
}

}  // namespace
}  // namespace sluice
