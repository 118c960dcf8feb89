// A core goes on from its state as a value, and nobody notices.
#include "governor/saved_core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fakes.h"
#include "governor/inputs/reader.h"
#include "governor/recorded_core.h"
#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;
using inputs::CoreCall;

CoreCall call_of(std::string_view bytes) {
  inputs::Reader::Names names;
  inputs::Reader reader(bytes, names);
  reader.next<std::uint64_t>();
  return reader.next<CoreCall>();
}

Admitted started_at(Core& core, const JobRequest& job, double second) {
  return std::get<Admitted>(core.try_admit(job, at(second)));
}

TEST(SavedCore, WhatOutlastsTheJobsIsKept) {
  GovernorOptions options = fixed_window(10);
  options.queueing.queues["nightly"];
  Core core = core_of(options);
  core.operate_queue("nightly", Switch::paused);
  core.finish(started_at(core, costing(5), 1).slot, Outcome::ok, at(2));
  const JobId failed = started_at(core, costing(5), 3).id;
  core.finish(0, Outcome::failed, at(4));
  const Counters before = core.status(at(5)).counters;
  core.start_over(core.saved(), at(5));
  const Status after = core.status(at(5));
  EXPECT_EQ(after.counters.submitted, before.submitted);
  EXPECT_EQ(after.counters.finished, before.finished);
  EXPECT_EQ(after.counters.duration.sum, before.duration.sum);
  JobRequest waits = costing(5);
  waits.queue = "nightly";
  core.submit(waits, at(6));
  EXPECT_TRUE(core.pass(at(7)).empty()) << "the queue is still paused";
  EXPECT_EQ(core.status(at(7)).queues[0].ended, 2U);
  JobRequest after_failure = costing(5);
  after_failure.after = {failed};
  const auto hopeless = core.submit(after_failure, at(8));
  EXPECT_EQ(std::get<Refusal>(hopeless).code, RefusalCode::dependency);
  EXPECT_GT(started_at(core, costing(5), 9).id.value, failed.value);
}

TEST(SavedCore, TheWindowKeepsItsSize) {
  GovernorOptions options = fakes::window_of(20, 100);
  Core core = core_of(options, {fakes::known("load")});
  const Admitted job = started_at(core, costing(20), 0.5);
  for (int second = 1; second < 60; ++second) {
    core.observe({{fakes::measured(at(second), 0.1), {}}}, at(second));
    core.record_refused_for_window();
    core.adjust_window(at(second));
  }
  const Points grown = core.size();
  ASSERT_GT(grown, Points{20});
  core.finish(job.slot, Outcome::ok, at(60));
  core.start_over(core.saved(), at(60));
  EXPECT_EQ(core.size(), grown);
  EXPECT_FALSE(core.why_closed()) << "the sensor was read";
}

TEST(SavedCore, NamesInRefusalsOutliveIt) {
  const std::string kManager = "a-manager-whose-name-does-not-fit-in-the-string-itself";
  GovernorOptions options = fixed_window(10);
  options.queueing.resources[kManager].total = 1;
  Core core = core_of(options);
  JobRequest job = costing(1);
  job.resources = {{kManager, 1}};
  const Admitted first = started_at(core, job, 1);
  const Refusal refusal = std::get<Refusal>(core.try_admit(job, at(2)));
  core.finish(first.slot, Outcome::ok, at(3));
  core.start_over(core.saved(), at(4));
  core.start_over(core.saved(), at(5));
  EXPECT_EQ(refusal.binding, kManager);
  started_at(core, job, 6);
}

/// With a lock level and a manager of two items.
GovernorOptions with_items() {
  GovernorOptions options = fixed_window(100);
  options.queueing.resources["devices"].kind = ResourceOptions::Kind::discrete;
  options.queueing.resources["devices"].items = {"one", "two"};
  return options;
}

JobRequest of_devices(std::int64_t count) {
  JobRequest job = costing(5);
  job.resources = {{"devices", count}};
  return job;
}

JobId queued(Core& core, const JobRequest& job, double second) {
  return std::get<Queued>(core.submit(job, at(second))).id;
}

std::vector<JobId> job_ids_of(const std::vector<Admitted>& jobs) {
  std::vector<JobId> ids;
  for (const Admitted& job : jobs) ids.push_back(job.id);
  return ids;
}

TEST(SavedCore, ARunningJobKeepsItsSlotItsPointsAndItsItems) {
  Core core = core_of(with_items());
  const Admitted ended = started_at(core, of_devices(1), 1);
  const Admitted runs = started_at(core, of_devices(1), 2);
  core.finish(ended.slot, Outcome::ok, at(3));
  core.start_over(core.saved(), at(4));
  EXPECT_EQ(core.usage(), Points{5});
  EXPECT_EQ(core.status(at(4)).queues[0].running, 1U);
  const Admitted next = started_at(core, of_devices(1), 5);
  ASSERT_EQ(next.items.size(), 1U);
  EXPECT_EQ(next.items[0].items, ended.items[0].items) << "the other is still held";
  EXPECT_EQ(std::get<Refusal>(core.try_admit(of_devices(1), at(6))).code, RefusalCode::resource);
  core.finish(runs.slot, Outcome::ok, at(7));
  EXPECT_EQ(started_at(core, of_devices(1), 8).items[0].items, runs.items[0].items);
}

TEST(SavedCore, AChildStaysOnThePermitOfItsParent) {
  Core core = core_of(fixed_window(10));
  const Admitted parent = started_at(core, costing(10), 1);
  JobRequest child = costing(10);
  child.parent = parent.id;
  const Admitted first = started_at(core, child, 2);
  const JobId second = queued(core, child, 3);
  EXPECT_TRUE(core.pass(at(4)).empty());
  core.start_over(core.saved(), at(5));
  EXPECT_EQ(core.usage(), Points{10});
  core.finish(first.slot, Outcome::ok, at(6));
  EXPECT_EQ(job_ids_of(core.pass(at(7))), std::vector{second});
  EXPECT_EQ(core.usage(), Points{10});
}

TEST(SavedCore, AChildThatCameBeforeItsParentRanStillWaitsForTheWindow) {
  Core core = core_of(fixed_window(10));
  const Admitted runs = started_at(core, costing(10), 1);
  const JobId parent = queued(core, costing(6), 2);
  const JobId other = queued(core, costing(4), 2);
  JobRequest child = costing(10);
  child.parent = parent;
  queued(core, child, 3);
  core.finish(runs.slot, Outcome::ok, at(4));
  EXPECT_EQ(job_ids_of(core.pass(at(5))), (std::vector{parent, other}));
  core.start_over(core.saved(), at(6));
  EXPECT_TRUE(core.pass(at(7)).empty());
}

TEST(SavedCore, WaitingJobsKeepTheirOrderTheirAgeAndWhatTheyWaitFor) {
  Core core = core_of(fixed_window(10));
  const Admitted runs = started_at(core, costing(10), 1);
  const JobId later = queued(core, costing(4), 2);
  JobRequest after = costing(3);
  after.after = {later};
  const JobId dependent = queued(core, after, 3);
  const JobId frozen = queued(core, costing(3), 4);
  JobChange change;
  change.frozen = true;
  core.set(frozen, change, at(4));
  const JobId first = queued(core, costing(4), 5);
  JobChange to_front;
  to_front.position = JobChange::Position{JobChange::Position::Where::front, {}};
  core.set(first, to_front, at(5));
  core.start_over(core.saved(), at(6));
  EXPECT_EQ(core.job(later, at(7))->arrived, at(2));
  core.finish(runs.slot, Outcome::ok, at(8));
  const std::vector<Admitted> both = core.pass(at(9));
  EXPECT_EQ(job_ids_of(both), (std::vector{first, later}));
  core.finish(both[1].slot, Outcome::ok, at(10));
  EXPECT_EQ(job_ids_of(core.pass(at(11))), std::vector{dependent});
  change.frozen = false;
  core.set(frozen, change, at(12));
  EXPECT_EQ(job_ids_of(core.pass(at(13))), std::vector{frozen});
}

TEST(SavedCore, AnExpectedJobIsStillWaitedFor) {
  Core core = core_of(fixed_window(10));
  const JobId expected = core.expect();
  JobRequest after = costing(3);
  after.after = {expected};
  const JobId waits = queued(core, after, 1);
  core.start_over(core.saved(), at(2));
  EXPECT_TRUE(core.pass(at(3)).empty());
  core.give_up(expected);
  EXPECT_FALSE(core.job(waits, at(4))) << "it is over with the job that will not come";
}

TEST(SavedCore, WithVeryManyJobsACoreDoesNotStartOver) {
  Core core = core_of(fixed_window(10));
  for (std::size_t job = 0; job < kMostSavedJobs; ++job) queued(core, costing(10), 1);
  EXPECT_TRUE(core.may_start_over());
  queued(core, costing(10), 2);
  EXPECT_FALSE(core.may_start_over());
}

TEST(SavedCore, AStateThatIsTooLargeForARecordIsLeftOut) {
  std::size_t beginnings = 0;
  inputs::InputLog log(
      [&](TimePoint, std::string_view call) {
        beginnings += call_of(call) == CoreCall::start_over ? 1 : 0;
      },
      1);
  GovernorOptions options = fixed_window(10);
  options.max_pending = 10000;
  RecordedCore core(&log, options, fakes::flat(5), {}, at(0));
  JobRequest large = costing(10);
  large.reasons.assign(100, std::string(100, 'x'));
  for (int job = 0; job < 100; ++job) core.submit(large, at(1));
  core.start_over_if_due(at(2));
  EXPECT_EQ(beginnings, 1U);
  for (int job = 0; job < 300; ++job) core.submit(large, at(3));
  core.start_over_if_due(at(4));
  EXPECT_EQ(beginnings, 1U) << "of more than 2 MiB";
  core.operate(Switch::paused);
  core.start_over_if_due(at(5));
  EXPECT_EQ(beginnings, 1U) << "that is not tried at each poll";
}

/// Where there is no room for its branch, a job waits in the queue itself.
TEST(SavedCore, ARuleOnABranchStillHoldsAJobThatIsNotInIt) {
  GovernorOptions options = fixed_window(10);
  RuleOptions rule;
  rule.queue = "default/b64";
  rule.action = RuleOptions::Action::pause;
  options.queueing.rules = {rule};
  Core core = core_of(options);
  for (std::size_t branch = 0; branch <= kMostBranchesOfUser; ++branch) {
    JobRequest job = costing(1);
    job.user = "ann";
    job.queue = "default/b" + std::to_string(branch);
    queued(core, job, 1);
  }
  core.start_over(core.saved(), at(2));
  for (int pass = 0; pass < 100; ++pass) {
    for (const Admitted& each : core.pass(at(3))) core.finish(each.slot, Outcome::ok, at(3));
  }
  EXPECT_EQ(core.pending(), 1U) << "the rule holds one";
}

TEST(SavedCore, WhoseNumbersReferToNothingIsInconsistent) {
  Core core = core_of(with_items());
  const Admitted parent = started_at(core, of_devices(1), 1);
  JobRequest child = costing(5);
  child.parent = parent.id;
  started_at(core, child, 2);
  queued(core, costing(100), 3);
  const SavedCore whole = core.start_over(core.saved(), at(4));
  EXPECT_TRUE(is_consistent(whole));
  const auto is_consistent_with = [&](auto&& change) {
    SavedCore saved = whole;
    change(saved);
    return is_consistent(saved);
  };
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.running[0].slot = 7; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.running[1].slot = 0; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.free_slots = {0}; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.running[1].permit = 9; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.running[0].permit = 1; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.running[0].job.queue = 9; }));
  EXPECT_FALSE(
      is_consistent_with([](auto& saved) { saved.running[0].state.needs[0].manager = 9; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.pending[0].queue = 9; }));
  EXPECT_FALSE(is_consistent_with([](auto& saved) { saved.queues[0].parent = 9; }));
}

TEST(SavedCore, ARecordBeginsAgainOnceMuchWasRecorded) {
  fakes::Journal<CoreCall> calls;
  GovernorEvents events;
  events.on_call = [&](TimePoint, std::string_view bytes) { calls.add(call_of(bytes)); };
  Governor governor(fixed_window(10), {}, fakes::flat(5), events);
  const Permit runs = std::get<Permit>(governor.try_admit(costing(10)));
  JobRequest large = costing(1);
  large.params["matrix"] = std::string(50000, 'x');  // Refused, and on record.
  const auto beginnings = [](const auto& all) {
    return std::ranges::count(all, CoreCall::start_over);
  };
  const auto polled_since = [](const auto& all) {
    const auto last = std::ranges::find(all.rbegin(), all.rend(), CoreCall::submit);
    return std::count(all.rbegin(), last, CoreCall::adjust_window) > 2;
  };
  for (int job = 0; job < 5; ++job) governor.submit(large);
  ASSERT_TRUE(calls.wait_until(polled_since));
  EXPECT_EQ(beginnings(calls.take()), 0);
  for (int job = 0; job < 20; ++job) governor.submit(large);
  ASSERT_TRUE(calls.wait_until([&](const auto& all) { return beginnings(all) == 1; }));
}

}  // namespace
}  // namespace sluice
