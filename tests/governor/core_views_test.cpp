#include <gtest/gtest.h>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;
using fakes::known;

TEST(CoreViews, RunningJobsComeFirstThenPendingOnesInOrderWithTheirPlaces) {
  Core core = core_of(fixed_window(20));
  const auto first = std::get<Admitted>(core.try_admit(costing(10), at(1)));
  core.try_admit(costing(10), at(2));
  core.submit(costing(5, 0), at(3));
  core.submit(costing(5, 9), at(4));
  core.finish(first.slot, Outcome::ok, at(5));
  EXPECT_EQ(core.pass(at(6)).size(), 2u);
  core.submit(costing(5, 0), at(7));
  core.submit(costing(5, 1), at(8));

  const auto views = core.jobs(at(0));
  ASSERT_EQ(views.size(), 5u);
  const std::uint64_t ids[] = {2, 4, 3, 6, 5};
  const std::size_t places[] = {0, 0, 0, 1, 2};
  for (std::size_t i = 0; i < views.size(); ++i) {
    EXPECT_EQ(views[i].id.value, ids[i]);
    EXPECT_EQ(views[i].place, places[i]);
    EXPECT_EQ(views[i].state, places[i] == 0 ? JobState::running : JobState::pending);
    EXPECT_EQ(core.job(views[i].id, at(0))->place, places[i]);
  }
  EXPECT_EQ(views[0].arrived, at(2));
  EXPECT_EQ(*views[2].admitted, at(6));
  EXPECT_EQ(views[2].arrived, at(3));
  EXPECT_FALSE(views[3].admitted);
}

TEST(CoreViews, RunningJobsAreInOrderOfAdmissionEvenWhereClocksDisagree) {
  Core core = core_of(fixed_window(20));
  core.submit(costing(5), at(1));
  core.pass(at(1.003));
  core.try_admit(costing(5), at(1.000));
  EXPECT_EQ(core.jobs(at(0))[0].id, JobId{1});
  EXPECT_EQ(core.jobs(at(0))[1].id, JobId{2});
}

TEST(CoreViews, PendingJobsSayWhyTheyWait) {
  Core core = core_of(fixed_window(20), {known("load")});
  core.try_admit(costing(15), at(0));
  core.submit(costing(10), at(0));
  core.submit(costing(1), at(0));
  const auto head = *core.job(JobId{2}, at(0))->refusal;
  EXPECT_EQ(head.code, RefusalCode::window);
  EXPECT_EQ(head.cost, Points{10});
  EXPECT_EQ(head.usage, Points{15});
  const auto behind = *core.job(JobId{3}, at(0))->refusal;
  EXPECT_EQ(behind.code, RefusalCode::behind);
  EXPECT_EQ(behind.ahead, JobId{2});
  EXPECT_EQ(core.status(at(0)).limiting->code, RefusalCode::window);
  EXPECT_FALSE(core.job(JobId{1}, at(0))->refusal);

  fakes::show(core, {2}, at(1));
  EXPECT_EQ(core.job(JobId{3}, at(0))->refusal->code, RefusalCode::sensor);
  core.operate(Switch::paused);
  EXPECT_EQ(core.job(JobId{2}, at(0))->refusal->code, RefusalCode::paused);
  core.operate(Switch::draining);
  EXPECT_EQ(core.job(JobId{2}, at(0))->refusal->code, RefusalCode::draining);
}

JobRequest nightly(JobRequest job) {
  job.queue = "nightly";
  return job;
}

TEST(CoreViews, AJobThatWouldFitNamesTheJobOfAnotherQueueThatPointsAreLeftFor) {
  GovernorOptions options = fixed_window(40);
  options.queueing.queues["nightly"];
  Core core = core_of(options);
  core.try_admit(nightly(costing(35)), at(0));
  core.submit(costing(10), at(1));
  core.submit(nightly(costing(5)), at(2));
  ASSERT_TRUE(core.pass(at(3)).empty());
  const auto behind = *core.job(JobId{3}, at(3))->refusal;
  EXPECT_EQ(behind.code, RefusalCode::behind);
  EXPECT_EQ(behind.ahead, JobId{2});
  EXPECT_EQ(core.explain(JobId{3}, at(3))->blockers.at(0).code, RefusalCode::behind);
  EXPECT_EQ(core.job(JobId{2}, at(3))->refusal->code, RefusalCode::window);
}

TEST(CoreViews, AJobThatWouldFitNamesTheJobOfAnotherQueueThatUnitsAreLeftFor) {
  GovernorOptions options = fixed_window(40);
  options.queueing.queues["nightly"];
  options.queueing.resources["db"].total = 2;
  Core core = core_of(options);
  const auto needing = [](std::int64_t units) {
    JobRequest job = costing(1);
    job.resources = {{"db", units}};
    return job;
  };
  core.try_admit(needing(1), at(0));
  core.submit(needing(2), at(1));
  core.submit(nightly(needing(1)), at(2));
  ASSERT_TRUE(core.pass(at(3)).empty());
  EXPECT_EQ(core.job(JobId{2}, at(3))->refusal->code, RefusalCode::resource);
  EXPECT_EQ(core.job(JobId{3}, at(3))->refusal->code, RefusalCode::behind);
  EXPECT_EQ(core.job(JobId{3}, at(3))->refusal->ahead, JobId{2});
}

TEST(CoreViews, TheLimitIsThatOfTheJobThatOtherQueuesAreBehind) {
  GovernorOptions options = fixed_window(40);
  options.queueing.queues["nightly"];
  Core core = core_of(options);
  core.try_admit(costing(35), at(0));
  core.submit(nightly(costing(10)), at(1));
  core.submit(costing(5), at(2));
  const Status status = core.status(at(3));
  EXPECT_EQ(status.queues.at(0).limiting->code, RefusalCode::behind);
  EXPECT_EQ(status.limiting->code, RefusalCode::window);
  EXPECT_EQ(status.limiting->cost, Points{10});
}

TEST(CoreViews, EveryBlockerThatBindsIsNamedTheOneThatIsSaidFirst) {
  Core core = core_of(fixed_window(20), {known("load"), known("disk"), known("pids")});
  core.try_admit(costing(20), at(0));
  core.submit(costing(10), at(0));
  fakes::show(core, {2, 3, 0.5}, at(1));
  const auto said = [](const std::vector<Refusal>& all) {
    std::vector<std::string> sentences;
    for (const Refusal& each : all) sentences.push_back(to_sentence(each));
    return sentences;
  };
  using Sentences = std::vector<std::string>;
  EXPECT_EQ(said(core.status(at(1)).blockers),
            (Sentences{"sensor disk is red", "sensor load is red",
                       "the window is full: 20 of 20 points are in use"}));
  const Sentences job{"sensor disk is red", "sensor load is red",
                      "needs 10 points, 0 of 20 points are free"};
  EXPECT_EQ(said(core.explain(JobId{2}, at(1))->blockers), job);
  EXPECT_EQ(said(core.status(at(1)).queues.at(0).blockers), job);

  core.operate(Switch::paused);
  EXPECT_EQ(said(core.status(at(1)).blockers).front(), "paused by the operator");
  EXPECT_EQ(core.status(at(1)).blockers.size(), 4u);
  EXPECT_TRUE(core.explain(JobId{1}, at(1))->blockers.empty()) << "it runs";
}

TEST(CoreViews, AnOpenGovernorNamesNoBlocker) {
  Core core = core_of(fixed_window(20), {known("load")});
  EXPECT_TRUE(core.status(at(0)).blockers.empty());
}

TEST(CoreViews, JobsThatAreOverOrNeverWereAreNotFound) {
  Core core = core_of(fixed_window(20));
  const auto admitted = std::get<Admitted>(core.try_admit(costing(5), at(0)));
  EXPECT_TRUE(core.job(admitted.id, at(0)));
  core.finish(admitted.slot, Outcome::ok, at(1));
  EXPECT_FALSE(core.job(admitted.id, at(0)));
  EXPECT_FALSE(core.job(JobId{99}, at(0)));
  EXPECT_TRUE(core.jobs(at(0)).empty());
}

TEST(CoreViews, StatusAddsUp) {
  Core core = core_of(fixed_window(20));
  core.try_admit(costing(15), at(1));
  core.submit(costing(10), at(2));
  core.submit(costing(7, 4), at(3));
  const Status status = core.status(at(9));
  EXPECT_EQ(status.now, at(9));
  EXPECT_EQ(status.usage, Points{15});
  EXPECT_EQ(status.size, Points{20});
  EXPECT_EQ(status.running, 1u);
  EXPECT_EQ(status.pending, 2u);
  EXPECT_EQ(status.pending_cost, Points{17});
  EXPECT_EQ(*status.oldest_arrival, at(2));
  EXPECT_EQ(status.limiting->cost, Points{7});
  EXPECT_FALSE(status.threshold);
  EXPECT_FALSE(status.full);
}

TEST(CoreViews, HistogramsCountWaitsAndDurationsInTheirBuckets) {
  Core core = core_of(fixed_window(10));
  const auto first = std::get<Admitted>(core.try_admit(costing(10), at(0)));
  core.submit(costing(10), at(1));
  core.finish(first.slot, Outcome::ok, at(10));
  const auto second = core.pass(at(31)).at(0);
  core.finish(second.slot, Outcome::oom, at(10'000));

  const Counters counters = core.status(at(10'000)).counters;
  EXPECT_EQ(counters.wait.counts[0], 1u);
  EXPECT_EQ(counters.wait.counts[6], 1u);
  EXPECT_DOUBLE_EQ(counters.wait.sum, 30);
  EXPECT_EQ(counters.duration.counts[5], 1u);
  EXPECT_EQ(counters.duration.counts[kDurationBounds.size()], 1u);
  EXPECT_DOUBLE_EQ(counters.duration.sum, 10 + 9969);
  EXPECT_EQ(counters.finished[static_cast<int>(Outcome::ok)], 1u);
  EXPECT_EQ(counters.finished[static_cast<int>(Outcome::oom)], 1u);
}

TEST(CoreViews, TimeThatRunsBackwardsCountsAsNoTime) {
  Core core = core_of(fixed_window(10));
  core.submit(costing(10), at(5));
  const auto admitted = core.pass(at(4.996)).at(0);
  core.finish(admitted.slot, Outcome::ok, at(4.992));
  const Counters counters = core.status(at(5)).counters;
  EXPECT_EQ(counters.wait.counts[0], 1u);
  EXPECT_EQ(counters.wait.sum, 0);
  EXPECT_EQ(counters.duration.sum, 0);
}

TEST(CoreViews, RegistrationsAreCountedByWhatMadeItFull) {
  GovernorOptions options = fixed_window(10);
  options.window.dwell = std::chrono::seconds(5);
  Core core = core_of(options);
  core.check_registration(at(0));
  const auto admitted = std::get<Admitted>(core.try_admit(costing(10), at(1)));
  core.check_registration(at(1));
  EXPECT_EQ(core.status(at(1)).full->code, RefusalCode::window);
  core.finish(admitted.slot, Outcome::ok, at(2));
  EXPECT_EQ(*core.check_registration(at(2)).wake, at(6));
  EXPECT_FALSE(core.status(at(2)).registered);
  core.check_registration(at(6));
  core.operate(Switch::paused);
  core.check_registration(at(7));
  const Counters counters = core.status(at(7)).counters;
  EXPECT_EQ(counters.registrations, 2u);
  EXPECT_EQ(counters.deregistrations[static_cast<int>(RefusalCode::window)], 1u);
  EXPECT_EQ(counters.deregistrations[static_cast<int>(RefusalCode::paused)], 1u);
}

}  // namespace
}  // namespace sluice
