#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "sluice/explanation.h"

namespace sluice {
namespace {
using namespace std::chrono_literals;

using Lines = std::vector<std::string>;

constexpr TimePoint kNow{1000s};

/// The second job of the slides' example, two minutes old, in a queue with a manager.
Explanation example() {
  Explanation e;
  e.job.id = JobId{9};
  e.job.request.queue = "nightly";
  e.job.request.priority = 5;
  e.job.cost = Points{15};
  e.job.arrived = kNow - 125s;
  e.job.place = 3;
  e.job.refusal =
      Refusal{RefusalCode::window, "window", Points{15}, Points{13}, Points{20}, JobId{}, 0, 0, 0};
  e.base_tenths = 10;
  e.levels = {{"node_group", 0, JobId{}},
              {"instance", 3, JobId{3}},
              {"node", 30, JobId{3}},
              {"node_resource", 30, JobId{4}},
              {"network", 0, JobId{}}};
  e.spv_tenths = 73;
  e.age_ticks = 4;
  e.aging_ticks = 30;
  e.weight = 7.3 * 26 / 30;
  e.saturates = kNow + 775s;
  e.resources = {{"db", 2, 1, 4, true}, {"ports", 1, 4, 10, false}};
  e.certain_conflicts = {JobId{3}, JobId{4}};
  return e;
}

TEST(ExplainText, SaysEverythingThatDecidesAboutAPendingJob) {
  EXPECT_EQ(
      to_lines(example(), kNow),
      (Lines{"waits: needs 15 points, 7 of 20 points are free",
             "place 3 in queue nightly, priority 5, 15 points, has waited 2 min 05 s",
             "weight 6.3267 = sum 7.3 x (1 - age 4/30), lightest first; 0 in 12 min 55 s",
             "  base           1.0", "  node_group     0.0", "  instance       0.3  against job 3",
             "  node           3.0  against job 3", "  node_resource  3.0  against job 4",
             "  network        0.0", "needs 2 of db, 1 free of 4: short",
             "needs 1 of ports, 4 free of 10", "would certainly block on job 3, job 4"}));
}

TEST(ExplainText, CallsJobsAsPeopleDo) {
  const Lines lines =
      to_lines(example(), kNow, [](JobId id) { return "deploy-" + std::to_string(id.value); });
  EXPECT_EQ(lines[5], "  instance       0.3  against job deploy-3");
  EXPECT_EQ(lines.back(), "would certainly block on job deploy-3, job deploy-4");
}

TEST(ExplainText, WithoutContentionOnlyPriorityAndArrivalCount) {
  Explanation e = example();
  e.levels.clear();
  e.resources.clear();
  e.certain_conflicts.clear();
  EXPECT_EQ(to_lines(e, kNow),
            (Lines{"waits: needs 15 points, 7 of 20 points are free",
                   "place 3 in queue nightly, priority 5, 15 points, has waited 2 min 05 s",
                   "contention is off: its queue is ordered by priority and arrival only"}));
}

std::string weight_line(const Explanation& explanation) { return to_lines(explanation, kNow)[2]; }

TEST(ExplainText, SaysHowAgeCounts) {
  Explanation e = example();
  e.age_ticks = 31;
  e.weight = 0;
  e.saturates = kNow - 30s;
  EXPECT_EQ(weight_line(e), "weight 0.0: sum 7.3, but its age is saturated");
  e.aging_ticks.reset();
  e.saturates.reset();
  e.weight = 7.3;
  EXPECT_EQ(weight_line(e), "weight 7.3 = sum 7.3, lightest first; jobs do not age");
}

TEST(ExplainText, AGlobalLockTakesThePlaceOfTheLevels) {
  Explanation e = example();
  e.spv_tenths = 160;
  e.global_lock_by = JobId{4};
  const auto line = [&] { return to_lines(e, kNow)[4]; };
  EXPECT_EQ(line(), "  global lock  15.0  held by job 4");
  e.job.request.global_lock = true;
  EXPECT_EQ(line(), "  global lock  15.0  wanted, while job 4 runs");
  e.global_lock_by = JobId{};
  EXPECT_EQ(line(), "  global lock  15.0  wanted");
}

TEST(ExplainText, AFrozenJobSaysSoWhateverElseKeepsItBack) {
  Explanation e = example();
  e.job.frozen = true;
  EXPECT_EQ(to_lines(e, kNow)[1], "frozen by hand");
  e.job.refusal->code = RefusalCode::frozen;
  EXPECT_EQ(to_lines(e, kNow)[0], "waits: frozen by hand");
  EXPECT_NE(to_lines(e, kNow)[1], "frozen by hand");
}

TEST(ExplainText, AnOverfullManagerAndManyConflictsAreCounted) {
  Explanation e = example();
  e.resources = {{"db", 1, -2, 1, true}};
  e.certain_conflicts.clear();
  for (std::uint64_t id = 1; id <= 10; ++id) e.certain_conflicts.push_back(JobId{id});
  const Lines lines = to_lines(e, kNow);
  EXPECT_EQ(lines[lines.size() - 2], "needs 1 of db, 3 in use of 1: short");
  EXPECT_EQ(lines.back(),
            "would certainly block on job 1, job 2, job 3, job 4, job 5, job 6, job 7, job 8 and 2 "
            "more");
}

TEST(ExplainText, ARunningJobSaysWhatItHolds) {
  Explanation e;
  e.job.state = JobState::running;
  e.job.cost = Points{15};
  e.job.arrived = kNow - 9000s;
  e.job.admitted = kNow - 4000s;
  e.job.items = {{"ports", {"p1", "p2"}}};
  EXPECT_EQ(to_lines(e, kNow),
            (Lines{"has run for 1 h 06 min, holds 15 points", "holds from ports: p1, p2"}));
}

}  // namespace
}  // namespace sluice
