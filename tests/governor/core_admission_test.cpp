#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::code_of;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;
using fakes::window_of;

std::vector<std::uint64_t> ids_of(const std::vector<Admitted>& admitted) {
  std::vector<std::uint64_t> ids;
  for (const Admitted& job : admitted) ids.push_back(job.id.value);
  return ids;
}

using Ids = std::vector<std::uint64_t>;

TEST(CoreAdmission, PassStartsJobsByPriorityThenArrivalUntilTheWindowIsFull) {
  Core core = core_of(fixed_window(20));
  core.submit(costing(5, 0), at(0));
  core.submit(costing(10, 1), at(0));
  core.submit(costing(5, 0), at(0));
  core.submit(costing(5, 2), at(0));
  EXPECT_EQ(ids_of(core.pass(at(1))), (Ids{4, 2, 1}));
  EXPECT_EQ(core.usage(), Points{20});
  EXPECT_EQ(core.pending(), 1u);
}

TEST(CoreAdmission, SmallJobDoesNotOvertakeALargeOneThatWaits) {
  Core core = core_of(fixed_window(20));
  const auto first = std::get<Admitted>(core.try_admit(costing(10), at(0)));
  core.submit(costing(15), at(0));
  core.submit(costing(1), at(0));
  EXPECT_TRUE(core.pass(at(1)).empty());
  core.finish(first.slot, Outcome::ok, at(2));
  EXPECT_EQ(ids_of(core.pass(at(2))), (Ids{2, 3}));
}

TEST(CoreAdmission, FinishMakesRoomForTheVeryNextPass) {
  Core core = core_of(fixed_window(10));
  const auto first = std::get<Admitted>(core.try_admit(costing(10), at(0)));
  core.submit(costing(10), at(0));
  EXPECT_TRUE(core.pass(at(0)).empty());
  core.finish(first.slot, Outcome::ok, at(0));
  EXPECT_EQ(ids_of(core.pass(at(0))), (Ids{2}));
}

TEST(CoreAdmission, TryAdmitIsRefusedBehindJobsOfTheSameOrAHigherPriority) {
  Core core = core_of(fixed_window(20));
  core.submit(costing(5, 3), at(0));
  core.submit(costing(5, 3), at(0));
  for (const int priority : {-1, 0, 3}) {
    const auto refusal = std::get<Refusal>(core.try_admit(costing(5, priority), at(0)));
    EXPECT_EQ(refusal.code, RefusalCode::behind);
    EXPECT_EQ(refusal.ahead, JobId{1});
    EXPECT_EQ(refusal.cost, Points{5});
  }
  EXPECT_TRUE(std::holds_alternative<Admitted>(core.try_admit(costing(5, 4), at(0))));
}

TEST(CoreAdmission, TryAdmitOfAHigherPriorityStillNeedsRoom) {
  Core core = core_of(fixed_window(20));
  core.try_admit(costing(15), at(0));
  core.submit(costing(10), at(0));
  const auto refusal = std::get<Refusal>(core.try_admit(costing(6, 1), at(0)));
  EXPECT_EQ(refusal.code, RefusalCode::window);
  EXPECT_EQ(refusal.usage, Points{15});
  EXPECT_EQ(refusal.size, Points{20});
  EXPECT_EQ(refusal.cost, Points{6});
}

TEST(CoreAdmission, IdleMachineTakesOneOversizeJobAndNoSecond) {
  Core core = core_of(window_of(10, 100));
  core.submit(costing(50), at(0));
  core.submit(costing(50), at(0));
  EXPECT_EQ(ids_of(core.pass(at(0))), (Ids{1}));
  EXPECT_EQ(code_of(core.try_admit(costing(1, 9), at(0))), RefusalCode::window);
  core.finish(0, Outcome::ok, at(1));
  EXPECT_EQ(ids_of(core.pass(at(1))), (Ids{2}));
}

TEST(CoreAdmission, IdleMachineTakesNothingWhilePausedDrainingOrRed) {
  for (const Switch operated : {Switch::paused, Switch::draining}) {
    Core core = core_of(window_of(10, 100));
    core.submit(costing(1), at(0));
    core.operate(operated);
    EXPECT_TRUE(core.pass(at(0)).empty());
    core.operate(Switch::running);
    EXPECT_EQ(core.pass(at(0)).size(), 1u);
  }
  Core core = core_of(window_of(10, 100), {fakes::known("load")});
  core.submit(costing(1), at(0));
  fakes::show(core, {1.0}, at(0));
  EXPECT_TRUE(core.pass(at(0)).empty());
  fakes::show(core, {0.5}, at(1));
  EXPECT_EQ(core.pass(at(1)).size(), 1u);
}

TEST(CoreAdmission, CostAboveTheLargestWindowIsImpossible) {
  Core core = core_of(window_of(10, 100));
  for (const auto& refusal : {std::get<Refusal>(core.submit(costing(101), at(0))),
                              std::get<Refusal>(core.try_admit(costing(101), at(0)))}) {
    EXPECT_EQ(refusal.code, RefusalCode::impossible);
    EXPECT_EQ(refusal.cost, Points{101});
    EXPECT_EQ(refusal.size, Points{100});
  }
  EXPECT_TRUE(std::holds_alternative<Queued>(core.submit(costing(100), at(0))));
  EXPECT_EQ(core.status(at(0)).counters.rejected[static_cast<int>(RefusalCode::impossible)], 2u);
}

TEST(CoreAdmission, CostAboveTheWindowOfTheMomentIsNotImpossible) {
  Core core = core_of(window_of(10, 100));
  const auto first = std::get<Admitted>(core.try_admit(costing(50), at(0)));
  EXPECT_EQ(code_of(core.try_admit(costing(50), at(0))), RefusalCode::window);
  core.finish(first.slot, Outcome::ok, at(1));
  EXPECT_TRUE(std::holds_alternative<Admitted>(core.try_admit(costing(100), at(1))));
}

TEST(CoreAdmission, CostOfTheModelIsCappedAndNeverImpossible) {
  Core core(window_of(10, 100), fakes::flat(5000), {}, at(0));
  EXPECT_EQ(core.cost_of(JobRequest{}), Points{100});
  EXPECT_TRUE(std::holds_alternative<Queued>(core.submit(JobRequest{}, at(0))));
  Core cheap(window_of(10, 100), fakes::flat(-3), {}, at(0));
  EXPECT_EQ(cheap.cost_of(JobRequest{}), Points{1});
  EXPECT_EQ(cheap.cost_of(costing(0)), Points{1});
}

TEST(CoreAdmission, QueueHoldsNoMoreThanMaxPending) {
  GovernorOptions options = fixed_window(10);
  options.max_pending = 2;
  Core core = core_of(options);
  core.try_admit(costing(7), at(0));
  core.submit(costing(5), at(0));
  core.submit(costing(5), at(0));
  const auto refusal = std::get<Refusal>(core.submit(costing(4), at(0)));
  EXPECT_EQ(refusal.code, RefusalCode::max_pending);
  EXPECT_EQ(refusal.cost, Points{4});
  EXPECT_EQ(refusal.usage, Points{7});
  EXPECT_EQ(refusal.size, Points{10});
  EXPECT_TRUE(core.cancel(JobId{2}));
  EXPECT_TRUE(std::holds_alternative<Queued>(core.submit(costing(4), at(0))));
}

TEST(CoreAdmission, DrainingRefusesSubmitsWithTheirNumbersAndPausedQueuesThem) {
  Core core = core_of(fixed_window(10));
  core.try_admit(costing(4), at(0));
  core.operate(Switch::paused);
  EXPECT_TRUE(std::holds_alternative<Queued>(core.submit(costing(3), at(0))));
  core.operate(Switch::draining);
  const auto refusal = std::get<Refusal>(core.submit(costing(3), at(0)));
  EXPECT_EQ(refusal.code, RefusalCode::draining);
  EXPECT_EQ(refusal.cost, Points{3});
  EXPECT_EQ(refusal.usage, Points{4});
  EXPECT_EQ(refusal.size, Points{10});
}

TEST(CoreAdmission, OnlyResumeEndsDraining) {
  Core core = core_of(fixed_window(10));
  core.operate(Switch::draining);
  core.operate(Switch::paused);
  EXPECT_EQ(code_of(core.submit(costing(3), at(0))), RefusalCode::draining);
  EXPECT_TRUE(core.status(at(0)).draining);
  core.operate(Switch::running);
  EXPECT_TRUE(std::holds_alternative<Queued>(core.submit(costing(3), at(0))));
}

TEST(CoreAdmission, CancelTakesOnlyPendingJobsBack) {
  Core core = core_of(fixed_window(10));
  const auto running = std::get<Admitted>(core.try_admit(costing(10), at(0)));
  core.submit(costing(10), at(0));
  EXPECT_FALSE(core.cancel(running.id));
  EXPECT_TRUE(core.cancel(JobId{2}));
  EXPECT_FALSE(core.cancel(JobId{2}));
  EXPECT_FALSE(core.cancel(JobId{77}));
  EXPECT_EQ(core.status(at(0)).counters.cancelled, 1u);
}

TEST(CoreAdmission, NumbersOutOfRangeAreInvalidHoweverTheJobIsAskedFor) {
  Core core = core_of(fixed_window(100));
  JobRequest negative, vast, free, negative_cost = costing(-1), endless = costing(1);
  const JobRequest first = costing(1, kMostPriority + 1), last = costing(1, -kMostPriority - 1);
  negative.inventory = -1;
  vast.inventory = kMostInventory + 1;
  free.cost = Points{0};
  endless.memory = Bytes{~std::uint64_t{0}};
  for (const JobRequest& job : {negative, vast, first, last, free, negative_cost, endless}) {
    ASSERT_TRUE(core.check(job));
    const std::string field = core.check(job)->field;
    const auto tried = core.try_admit(job, at(0));
    EXPECT_EQ(code_of(tried), RefusalCode::invalid) << field;
    EXPECT_EQ(std::get<Refusal>(tried).binding, field);
    EXPECT_EQ(code_of(core.submit(job, at(0))), RefusalCode::invalid) << field;
    EXPECT_EQ(code_of(core.admit_or_queue(job, at(0))), RefusalCode::invalid) << field;
  }
}

TEST(CoreAdmission, AJobAfterOneThatNeverWasIsInvalidHoweverItIsAskedFor) {
  Core core = core_of(fixed_window(10));
  for (const std::uint64_t never : {0UL, 1UL, 999999UL}) {
    JobRequest job = costing(1);
    job.after = {JobId{never}};
    ASSERT_TRUE(core.check(job)) << never;
    const auto tried = core.try_admit(job, at(0));
    const auto submitted = core.submit(job, at(0));
    const auto either = core.admit_or_queue(job, at(0));
    EXPECT_EQ(code_of(tried), RefusalCode::invalid) << never;
    EXPECT_EQ(std::get<Refusal>(tried).binding, "after");
    EXPECT_EQ(code_of(submitted), RefusalCode::invalid) << never;
    EXPECT_EQ(code_of(either), RefusalCode::invalid) << never;
  }
  EXPECT_EQ(core.running() + core.pending(), 0u);
  EXPECT_EQ(core.status(at(0)).counters.submitted, 0u);
}

TEST(CoreAdmission, AJobAfterOneThatEndedWellLongAgoStartsAtOnce) {
  Core core = core_of(fixed_window(10));
  const auto first = std::get<Admitted>(core.try_admit(costing(1), at(0)));
  core.finish(first.slot, Outcome::ok, at(1));
  JobRequest job = costing(1);
  job.after = {first.id};
  EXPECT_FALSE(core.check(job));
  EXPECT_TRUE(std::holds_alternative<Admitted>(core.try_admit(job, at(1'000'000))));
}

TEST(CoreAdmission, PermutingSubmitsOfOneInstantOnlyChangesTies) {
  std::mt19937_64 random(11);
  std::vector<JobRequest> jobs;
  for (int priority = 0; priority < 12; ++priority) {
    jobs.push_back(costing(static_cast<std::int64_t>(random() % 8 + 1), priority));
    jobs.back().key = std::to_string(priority);
  }
  std::vector<JobRequest> ties(6, costing(3, 12));
  jobs.insert(jobs.end(), ties.begin(), ties.end());

  std::vector<std::string> expected;
  for (int round = 0; round < 50; ++round) {
    Core core = core_of(fixed_window(50));
    for (const JobRequest& job : jobs) core.submit(job, at(0));
    std::vector<std::string> started;
    for (const Admitted& admitted : core.pass(at(0))) {
      started.push_back(core.job(admitted.id, at(0))->request.key);
    }
    if (round == 0) expected = started;
    EXPECT_EQ(started, expected);
    EXPECT_GT(started.size(), ties.size());
    std::shuffle(jobs.begin(), jobs.end(), random);
  }
}

}  // namespace
}  // namespace sluice
