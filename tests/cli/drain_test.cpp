// How `sluice drain --wait` interprets the state it polls.
#include "cli/drain.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Drain, IsOverWhenNothingRunsWhenItIsResumedOrWhenTheTimeIs) {
  struct {
    DrainObservation look;
    std::optional<Duration> timeout;
    std::optional<int> status;
    const char* line;
  } const table[] = {
      {{true, 0, seconds(0)}, std::nullopt, 0, "drained after 0.0 s"},
      {{true, 2, minutes(90)}, std::nullopt, std::nullopt, "waiting: 2 jobs run"},
      {{true, 1, seconds(4)}, seconds(5), std::nullopt, "waiting: 1 job runs"},
      {{true, 1, seconds(5)},
       seconds(5),
       75,
       "1 job runs after 5.0 s and may continue; still draining"},
      {{true, 0, seconds(5)}, seconds(5), 0, "drained after 5.0 s"},
      {{true, 3, seconds(0)},
       seconds(0),
       75,
       "3 jobs run after 0.0 s and may continue; still draining"},
      {{false, 1, seconds(3)}, seconds(5), 1, "resumed by someone after 3.0 s"},
      {{false, 0, seconds(3)}, std::nullopt, 1, "resumed by someone after 3.0 s"},
  };
  for (const auto& row : table) {
    const DrainVerdict verdict = judge_drain(row.look, std::nullopt, row.timeout);
    EXPECT_EQ(verdict.status, row.status) << row.line;
    EXPECT_EQ(verdict.line, row.line);
  }
}

TEST(Drain, SaysHowManyRunOnlyWhenThatHasChanged) {
  const DrainObservation look{true, 2, seconds(1)};
  EXPECT_EQ(judge_drain(look, 3, std::nullopt).line, "waiting: 2 jobs run");
  EXPECT_EQ(judge_drain(look, 2, std::nullopt).line, "");
}

}  // namespace
}  // namespace sluice::cli
