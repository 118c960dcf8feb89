// The state that a core takes over from an earlier one, of which nothing is handed out twice.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;
using Ids = std::vector<std::uint64_t>;

JobSnapshot snapshot(std::uint64_t id, JobRequest request) {
  JobSnapshot job;
  job.id = JobId{id};
  job.cost = request.cost.value_or(Points{5});
  request.queue = request.queue.empty() ? "default" : request.queue;
  request.priority = request.priority.value_or(0);
  request.inventory = request.inventory.value_or(1);
  job.request = std::move(request);
  job.arrived = at(0);
  return job;
}

JobSnapshot ran(std::uint64_t id, JobRequest request) {
  JobSnapshot job = snapshot(id, std::move(request));
  job.admitted = at(0);
  return job;
}

JobSnapshot pended(std::uint64_t id, JobRequest request, double arrived = 0) {
  JobSnapshot job = snapshot(id, std::move(request));
  job.arrived = at(arrived);
  job.order = {id, static_cast<std::int64_t>(id), 0};
  return job;
}

Ids admitted_by(Core& core, TimePoint now) {
  Ids ids;
  for (const Admitted& job : core.pass(now)) ids.push_back(job.id.value);
  return ids;
}

JobRequest locking(const std::string& text) {
  JobRequest job = costing(1);
  job.locks = {std::get<LevelLocks>(parse_locks("instance", text))};
  return job;
}

GovernorOptions with_ports() {
  GovernorOptions options = fixed_window(20);
  ResourceOptions ports;
  ports.kind = ResourceOptions::Kind::discrete;
  ports.items = {"p1", "p2", "p3"};
  options.queueing.resources["ports"] = ports;
  return options;
}

JobRequest needing(const std::string& manager, std::int64_t amount) {
  JobRequest job = costing(1);
  job.resources = {{manager, amount}};
  return job;
}

std::int64_t used_of(const Core& core) { return core.status(at(0)).resources.front().used; }

TEST(CoreRestore, WhatRanIsAdoptedBeyondTheWindowAndNothingStartsUntilItFits) {
  Core core = core_of(fixed_window(20));
  const auto taken = core.restore({{ran(3, costing(15)), ran(7, costing(15))}, {}, {}}, at(100));
  EXPECT_EQ(core.usage(), Points{30});
  EXPECT_EQ(core.running(), 2u);
  core.submit(costing(5), at(100));
  EXPECT_EQ(admitted_by(core, at(100)), Ids{});
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(101));
  EXPECT_EQ(admitted_by(core, at(101)), Ids{8});
  core.finish(std::get<Admitted>(taken[1]).slot, Outcome::ok, at(102));
  EXPECT_EQ(core.usage(), Points{5});
}

TEST(CoreRestore, NumbersGoOnFromTheLargestEverGiven) {
  Core core = core_of(fixed_window(20));
  core.restore({{ran(3, costing(1)), pended(9, costing(1))}, JobId{41}, {}}, at(0));
  EXPECT_EQ(std::get<Queued>(core.submit(costing(1), at(0))).id, JobId{42});
}

TEST(CoreRestore, WhatPendedWaitsOnInItsOrderWithItsAge) {
  Core core = core_of(fixed_window(5));
  JobSnapshot moved = pended(4, costing(5), -1);
  moved.order = {4, 1, 0x8000};  // Moved to the front by hand.
  const GovernorSnapshot snapshot{
      {ran(1, costing(5)), pended(2, costing(5), -3), pended(3, costing(5), -2), moved}, {}, {}};
  const auto taken = core.restore(snapshot, at(0));
  EXPECT_EQ(core.pending(), 3u);
  EXPECT_EQ(core.status(at(0)).oldest_arrival, at(-3));
  Ids order;
  std::uint32_t slot = std::get<Admitted>(taken[0]).slot;
  for (int n = 0; n < 3; ++n) {
    core.finish(slot, Outcome::ok, at(1));
    const auto next = core.pass(at(1));
    ASSERT_EQ(next.size(), 1u);
    slot = next[0].slot;
    order.push_back(next[0].id.value);
  }
  EXPECT_EQ(order, (Ids{4, 2, 3}));
}

TEST(CoreRestore, TheViewTellsThePlaceThatRestoresIt) {
  Core core = core_of(fixed_window(5));
  core.restore({{ran(1, costing(5)), pended(2, costing(5)), pended(3, costing(5))}, {}, {}}, at(0));
  JobChange change;
  change.position = {JobChange::Position::Where::front, {}};
  ASSERT_FALSE(core.set(JobId{3}, change, at(0)));
  const JobOrder order = core.job(JobId{3}, at(0))->order;
  EXPECT_EQ(order.arrival, 3u);
  EXPECT_LT(order.whole, 3);
  Core again = core_of(fixed_window(5));
  JobSnapshot moved = pended(3, costing(5));
  moved.order = order;
  again.restore({{pended(2, costing(5)), moved}, {}, {}}, at(0));
  EXPECT_EQ(admitted_by(again, at(0)), Ids{3});
}

TEST(CoreRestore, AgesFollowTheOrderOfArrivalThoughTheClockWasSetBack) {
  Core core = core_of(fixed_window(5));
  core.restore({{pended(1, costing(5), 50), pended(2, costing(5), 7)}, {}, {}}, at(20));
  EXPECT_EQ(core.job(JobId{1}, at(20))->arrived, at(20));
  EXPECT_EQ(core.job(JobId{2}, at(20))->arrived, at(20));
}

TEST(CoreRestore, HeldItemsAreNotHandedOutAgain) {
  Core core = core_of(with_ports());
  JobSnapshot holder = ran(1, needing("ports", 2));
  holder.items = {{"ports", {"p1", "p3"}}};
  const auto taken = core.restore({{holder, pended(2, needing("ports", 2))}, {}, {}}, at(0));
  EXPECT_EQ(used_of(core), 2);
  EXPECT_EQ(admitted_by(core, at(0)), Ids{});
  core.submit(needing("ports", 1), at(0));
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(1));
  EXPECT_EQ(admitted_by(core, at(1)), (Ids{2, 3}));
  EXPECT_EQ(used_of(core), 3);
}

TEST(CoreRestore, AnItemThatIsNotConfiguredAnyMoreDrains) {
  Core core = core_of(with_ports());
  JobSnapshot holder = ran(1, needing("ports", 1));
  holder.items = {{"ports", {"p9"}}, {"gone", {"x"}}};
  const auto taken = core.restore({{holder}, {}, {}}, at(0));
  EXPECT_EQ(std::get<Admitted>(taken[0]).items, (std::vector<HeldItems>{{"ports", {"p9"}}}));
  core.submit(needing("ports", 3), at(0));
  EXPECT_EQ(admitted_by(core, at(0)), Ids{2});
  EXPECT_EQ(used_of(core), 4);
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(1));
  EXPECT_EQ(used_of(core), 3);
}

TEST(CoreRestore, LocksOfWhatRunsHoldBackWhatWouldBlock) {
  GovernorOptions options = fixed_window(20);
  options.queueing.contention.mode = ContentionMode::hold;
  Core core = core_of(options);
  const auto taken =
      core.restore({{ran(1, locking("exclusive:i1")), pended(2, locking("exclusive:i1")),
                     pended(3, locking("exclusive:i2"))},
                    {},
                    {}},
                   at(0));
  EXPECT_EQ(admitted_by(core, at(0)), Ids{3});
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(1));
  EXPECT_EQ(admitted_by(core, at(1)), Ids{2});
}

TEST(CoreRestore, AHighlanderThatRunsIsStillTheOnlyOneOfItsKey) {
  GovernorOptions options = fixed_window(20);
  options.queueing.resources["solo"].kind = ResourceOptions::Kind::highlander;
  Core core = core_of(options);
  JobRequest job = needing("solo", 1);
  job.key = "deploy";
  const auto taken = core.restore({{ran(1, job), pended(2, job)}, {}, {}}, at(0));
  EXPECT_EQ(admitted_by(core, at(0)), Ids{});
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(1));
  EXPECT_EQ(admitted_by(core, at(1)), Ids{2});
}

TEST(CoreRestore, DependenciesAreKeptWhateverHasEndedMeanwhile) {
  Core core = core_of(fixed_window(20));
  JobRequest late = costing(1), hopeless = costing(1), held = costing(1), free = costing(1);
  late.after = {JobId{1}};
  hopeless.after = {JobId{5}};
  held.after = {JobId{5}};
  held.on_failure = OnFailure::hold;
  free.after = {JobId{6}};
  const GovernorSnapshot snapshot{{ran(1, costing(1)), pended(11, late), pended(12, hopeless),
                                   pended(13, held), pended(14, free)},
                                  {},
                                  {JobId{5}}};
  const auto taken = core.restore(snapshot, at(0));
  EXPECT_EQ(std::get<Refusal>(taken[2]).code, RefusalCode::dependency);
  EXPECT_EQ(admitted_by(core, at(0)), Ids{14});
  core.finish(std::get<Admitted>(taken[0]).slot, Outcome::ok, at(1));
  EXPECT_EQ(admitted_by(core, at(1)), Ids{11});
  EXPECT_EQ(core.job(JobId{13}, at(1))->refusal->ahead, JobId{5});
}

TEST(CoreRestore, WhatRunsIsKeptThoughItsQueueIsGoneAndWhatPendsThereIsRefused) {
  Core core = core_of(fixed_window(20));
  JobRequest elsewhere = costing(5);
  elsewhere.queue = "nightly";
  elsewhere.resources = {{"db", 1}};
  elsewhere.locks = {std::get<LevelLocks>(parse_locks("moon", "exclusive:x"))};
  const auto taken = core.restore({{ran(1, elsewhere), pended(2, elsewhere)}, {}, {}}, at(0));
  EXPECT_EQ(core.usage(), Points{5});
  EXPECT_EQ(core.job(JobId{1}, at(0))->request.queue, "default");
  EXPECT_EQ(std::get<Refusal>(taken[1]).code, RefusalCode::invalid);
  EXPECT_FALSE(core.check_reload(core.options().queueing)) << "it must not stand in the way";
}

TEST(CoreRestore, WhatPendedInNoQueueWaitsInTheDefaultOne) {
  Core core = core_of(fixed_window(20));
  JobRequest request = costing(1);
  request.queue = "";
  const auto taken = core.restore({{pended(3, request)}, {}, {}}, at(100));
  EXPECT_TRUE(std::holds_alternative<Queued>(taken.at(0)));
  EXPECT_EQ(admitted_by(core, at(100)), Ids{3});
}

TEST(CoreRestore, APendingJobWithTheNumberOfAnotherIsInvalid) {
  Core core = core_of(fixed_window(20));
  JobRequest dependent = costing(1);
  dependent.after = {JobId{2}};
  const auto taken =
      core.restore({{ran(1, costing(1)), pended(1, costing(1)), pended(2, costing(1)),
                     pended(2, costing(1)), pended(3, dependent)},
                    {},
                    {}},
                   at(0));
  EXPECT_EQ(std::get<Refusal>(taken[1]).binding, "id");
  EXPECT_EQ(std::get<Refusal>(taken[3]).code, RefusalCode::invalid);
  EXPECT_EQ(core.pending(), 2u) << "the refusal of the second ends no job after the first";
  EXPECT_EQ(admitted_by(core, at(0)), Ids{2});
}

TEST(CoreRestore, AStartThatWasNotReportedYetIsStillExpected) {
  Core core = core_of(fixed_window(20));
  JobSnapshot starting = ran(1, fakes::reporting_start(1));
  starting.starting = true;
  core.restore({{starting, ran(2, fakes::reporting_start(1))}, {}, {}}, at(0));
  EXPECT_EQ(core.status(at(0)).starting, 1u);
}

TEST(CoreRestore, AFrozenJobStaysFrozen) {
  Core core = core_of(fixed_window(20));
  JobSnapshot frozen = pended(1, costing(1));
  frozen.frozen = true;
  core.restore({{frozen}, {}, {}}, at(0));
  EXPECT_EQ(admitted_by(core, at(0)), Ids{});
  EXPECT_EQ(core.job(JobId{1}, at(0))->refusal->code, RefusalCode::frozen);
}

}  // namespace
}  // namespace sluice
