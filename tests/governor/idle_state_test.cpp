// A core that has no jobs goes on from a small value, and nobody notices.
#include "governor/idle_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

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

Admitted started(Core& core, const JobRequest& job, double second) {
  return std::get<Admitted>(core.try_admit(job, at(second)));
}

TEST(IdleState, WhatOutlastsTheJobsIsKept) {
  GovernorOptions options = fixed_window(10);
  options.queueing.queues["nightly"];
  Core core = core_of(options);
  core.operate_queue("nightly", Switch::paused);
  core.finish(started(core, costing(5), 1).slot, Outcome::ok, at(2));
  const JobId failed = started(core, costing(5), 3).id;
  core.finish(0, Outcome::failed, at(4));
  const Counters before = core.status(at(5)).counters;
  ASSERT_TRUE(core.is_idle());
  core.start_over(at(5));
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
  EXPECT_GT(started(core, costing(5), 9).id.value, failed.value);
}

TEST(IdleState, TheWindowKeepsItsSize) {
  GovernorOptions options = fakes::window_of(20, 100);
  Core core = core_of(options, {fakes::known("load")});
  const Admitted job = started(core, costing(20), 0.5);
  for (int second = 1; second < 60; ++second) {
    core.observe({{fakes::measured(at(second), 0.1), {}}}, at(second));
    core.record_refused_for_window();
    core.adjust_window(at(second));
  }
  const Points grown = core.size();
  ASSERT_GT(grown, Points{20});
  core.finish(job.slot, Outcome::ok, at(60));
  core.start_over(at(60));
  EXPECT_EQ(core.size(), grown);
  EXPECT_FALSE(core.why_closed()) << "the sensor was read";
}

TEST(IdleState, NamesInRefusalsOutliveIt) {
  const std::string kManager = "a-manager-whose-name-does-not-fit-in-the-string-itself";
  GovernorOptions options = fixed_window(10);
  options.queueing.resources[kManager].total = 1;
  Core core = core_of(options);
  JobRequest job = costing(1);
  job.resources = {{kManager, 1}};
  const Admitted first = started(core, job, 1);
  const Refusal refusal = std::get<Refusal>(core.try_admit(job, at(2)));
  core.finish(first.slot, Outcome::ok, at(3));
  core.start_over(at(4));
  core.start_over(at(5));
  EXPECT_EQ(refusal.binding, kManager);
  started(core, job, 6);
}

TEST(IdleState, AJobThatRunsOrWaitsKeepsTheCoreFromIt) {
  Core core = core_of(fixed_window(10));
  EXPECT_TRUE(core.is_idle());
  const Admitted runs = started(core, costing(10), 1);
  EXPECT_FALSE(core.is_idle());
  const JobId waits = std::get<Queued>(core.submit(costing(10), at(2))).id;
  core.finish(runs.slot, Outcome::ok, at(3));
  EXPECT_FALSE(core.is_idle());
  core.cancel(waits);
  EXPECT_TRUE(core.is_idle());
}

TEST(IdleState, ARecordBeginsAgainOnceMuchWasRecordedAndNoJobIsLeft) {
  fakes::Journal<CoreCall> calls;
  GovernorEvents events;
  events.on_call = [&](TimePoint, std::string_view bytes) { calls.add(call_of(bytes)); };
  GovernorOptions options = fixed_window(10);
  Governor governor(options, {}, fakes::flat(5), events);
  Permit runs = std::get<Permit>(governor.try_admit(costing(10)));
  JobRequest large = costing(1);
  large.params["matrix"] = std::string(50000, 'x');  // Refused, and on record.
  for (int job = 0; job < 25; ++job) {
    EXPECT_EQ(fakes::code_of(governor.submit(large)), RefusalCode::invalid);
  }
  const auto beginnings = [](const auto& all) {
    return std::ranges::count(all, CoreCall::start_over);
  };
  const auto polled_since = [](const auto& all) {
    const auto last = std::ranges::find(all.rbegin(), all.rend(), CoreCall::submit);
    return std::count(all.rbegin(), last, CoreCall::adjust_window) > 2;
  };
  ASSERT_TRUE(calls.wait_until(polled_since));
  EXPECT_EQ(beginnings(calls.take()), 0) << "while a job runs";
  runs.release();
  ASSERT_TRUE(calls.wait_until([&](const auto& all) { return beginnings(all) == 1; }));
}

}  // namespace
}  // namespace sluice
