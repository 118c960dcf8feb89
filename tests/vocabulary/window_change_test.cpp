// A change of the window in words.
#include <gtest/gtest.h>

#include "sluice/status.h"

namespace sluice {
namespace {

TEST(WindowChange, IsSaidWithTheNumbersBehindIt) {
  struct Row {
    WindowCause cause;
    const char *blind, *measured;
  };
  const Row rows[] = {
      {WindowCause::slow_start, "grown 60 -> 24 points",
       "grown 60 -> 24 points: 34% busy, 41 jobs wait"},
      {WindowCause::growth, "grown 60 -> 24 points",
       "grown 60 -> 24 points: 34% busy, 41 jobs wait"},
      {WindowCause::knee, "holds 24", "holds 24: 34% busy, 0.18 tasks wait for each CPU"},
      {WindowCause::yield, "yields 60 -> 24 points",
       "yields 60 -> 24 points: 34% busy, 0.18 tasks wait for each CPU"},
      {WindowCause::unused, "falls 60 -> 24 points, not half used",
       "falls 60 -> 24 points, not half used: 34% busy, 0.18 tasks wait for each CPU"},
      {WindowCause::red, "cut 60 -> 24 points", "cut 60 -> 24 points"},
      {WindowCause::idle_restart, "back 60 -> 24 points, idle for long",
       "back 60 -> 24 points, idle for long"},
      {WindowCause::reload, "set 60 -> 24 points by the reloaded configuration",
       "set 60 -> 24 points by the reloaded configuration"}};
  for (const Row& row : rows) {
    WindowChange change{TimePoint{}, Points{60}, Points{24}, row.cause, ""};
    EXPECT_EQ(to_sentence(change), row.blind);
    change.cpu = CpuStatus{2, 0.336, 0.18, 2.4, 0};
    change.pending = 41;
    EXPECT_EQ(to_sentence(change), row.measured);
  }
}

TEST(WindowChange, ACutByASensorSaysWhatTheSensorSaid) {
  WindowChange change{TimePoint{}, Points{60}, Points{40}, WindowCause::red, "load"};
  EXPECT_EQ(to_sentence(change), "cut 60 -> 40 points by load");
  change.said = "load 6.0 of at most 5.0";
  EXPECT_EQ(to_sentence(change), "cut 60 -> 40 points by load: load 6.0 of at most 5.0");
}

TEST(WindowChange, RoundsItsNumbers) {
  WindowChange change{TimePoint{}, Points{30}, Points{60}, WindowCause::growth, ""};
  change.cpu = CpuStatus{2, 0.336, 1.999, 2.4, 0};
  change.pending = 1;
  EXPECT_EQ(to_sentence(change), "grown 30 -> 60 points: 34% busy, 1 job waits");
  change.cause = WindowCause::knee;
  EXPECT_EQ(to_sentence(change), "holds 60: 34% busy, 2.00 tasks wait for each CPU");
  change.cpu->waiting = 1.05;
  EXPECT_EQ(to_sentence(change), "holds 60: 34% busy, 1.05 tasks wait for each CPU");
}

}  // namespace
}  // namespace sluice
