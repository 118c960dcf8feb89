#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::arrived;
using fakes::code_of;
using fakes::costing;
using fakes::fixed_window;
using fakes::flat;
using fakes::permit_of;

Submitted submitted_job(std::variant<Submitted, Refusal> result) {
  return std::get<Submitted>(std::move(result));
}

TEST(GovernorOperate, AReloadLetsGoOfTheCostModelsOfBefore) {
  const auto held = std::make_shared<int>(5);
  const auto model = [held](const JobRequest&) { return Prediction(Points{*held}); };
  Governor governor(fixed_window(100), {}, model);
  for (int time = 0; time < 10; ++time) governor.reload(fixed_window(100), {}, model);
  governor.reload(fixed_window(100), {}, flat(5));
  // `held`, and its copy in the closure of `model`.
  EXPECT_EQ(held.use_count(), 2);
}

TEST(GovernorOperate, AJobWithImpossibleNumbersIsInvalidAlsoWhileTheWindowIsFull) {
  Governor governor(fixed_window(10), {}, flat(5));
  const Permit all = permit_of(governor.try_admit(costing(10)));
  ASSERT_EQ(code_of(governor.try_admit(costing(1))), RefusalCode::window);
  JobRequest negative = costing(1), vast = costing(1);
  negative.inventory = -1;
  vast.inventory = kMostInventory + 1;
  EXPECT_EQ(code_of(governor.try_admit(negative)), RefusalCode::invalid);
  EXPECT_EQ(code_of(governor.try_admit(vast)), RefusalCode::invalid);
  EXPECT_EQ(code_of(governor.try_admit(costing(1, kMostPriority + 1))), RefusalCode::invalid);
  EXPECT_EQ(code_of(governor.try_admit(costing(1, -kMostPriority))), RefusalCode::window);
  EXPECT_EQ(code_of(governor.try_admit(costing(0))), RefusalCode::invalid);
}

TEST(GovernorOperate, NothingIsAdmittedBetweenPauseAndResume) {
  Governor governor(fixed_window(1000), {}, flat(1));
  std::atomic<bool> over{false};
  const auto keep_asking = [&] {
    while (!over) {
      const Admission admission = governor.try_admit(costing(1));
      governor.submit(costing(1), [](JobId, Admission) {});
    }
  };
  std::vector<std::thread> askers;
  for (int i = 0; i < 2; ++i) askers.emplace_back(keep_asking);
  for (int round = 0; round < 30; ++round) {
    governor.pause();
    const std::uint64_t admitted = governor.status().counters.admitted;
    for (int i = 0; i < 200; ++i) {
      EXPECT_EQ(code_of(governor.try_admit(costing(1))), RefusalCode::paused);
    }
    EXPECT_EQ(governor.status().counters.admitted, admitted);
    governor.resume();
    while (governor.status().counters.admitted == admitted) std::this_thread::yield();
  }
  over = true;
  for (std::thread& asker : askers) asker.join();
  governor.wait_until_idle();
}

TEST(GovernorOperate, OfTwoPendingJobsWithOneNumberTheFirstIsRestoredAndStarts) {
  fakes::Journal<JobId> started;
  Governor governor(fixed_window(10), {}, flat(5));
  JobSnapshot job;
  job.id = JobId{7};
  job.cost = Points{5};
  GovernorSnapshot snapshot;
  snapshot.jobs = {job, job};
  const auto restored = governor.restore(snapshot, [&](JobId id, Admission) { started.add(id); });
  ASSERT_TRUE(std::holds_alternative<Queued>(restored[0]));
  EXPECT_EQ(std::get<Refusal>(restored[1]).code, RefusalCode::invalid);
  ASSERT_TRUE(started.wait_for_count(1));
  governor.wait_until_idle();
  EXPECT_EQ(started.take(), std::vector{JobId{7}});
}

TEST(GovernorOperate, PauseQueuesAndResumeAdmits) {
  GovernorOptions options = fixed_window(10);
  options.window.interval = std::chrono::hours(1);
  Governor governor(options, {}, flat(5));
  governor.pause();
  EXPECT_TRUE(governor.status().paused);
  auto job = submitted_job(governor.submit(costing(5)));
  EXPECT_EQ(governor.job(job.id)->refusal->code, RefusalCode::paused);
  governor.resume();
  permit_of(arrived(job.admission));
  EXPECT_FALSE(governor.status().paused);
}

TEST(GovernorOperate, DrainKeepsWhatWaitsAndResumeTakesItBack) {
  Governor governor(fixed_window(10), {}, flat(5));
  Permit running = permit_of(governor.try_admit(costing(10)));
  auto waits = submitted_job(governor.submit(costing(5)));
  governor.drain();
  EXPECT_TRUE(governor.status().draining);
  EXPECT_EQ(code_of(governor.submit(costing(1))), RefusalCode::draining);
  EXPECT_EQ(code_of(governor.try_admit(costing(1))), RefusalCode::draining);
  running.release();
  governor.wait_until_idle();
  EXPECT_EQ(governor.job(waits.id)->refusal->code, RefusalCode::draining);
  governor.resume();
  permit_of(arrived(waits.admission));
}

TEST(GovernorOperate, PauseDoesNotEndDraining) {
  Governor governor(fixed_window(10), {}, flat(5));
  governor.drain();
  governor.pause();
  EXPECT_EQ(code_of(governor.submit(costing(1))), RefusalCode::draining);
  EXPECT_TRUE(governor.status().draining);
}

TEST(GovernorOperate, DrainThatIsWaitedForCanBeResumed) {
  Governor governor(fixed_window(10), {}, flat(5));
  Permit running = permit_of(governor.try_admit(costing(10)));
  auto waits = submitted_job(governor.submit(costing(5)));
  governor.drain();
  auto idle = std::async(std::launch::async, [&] { governor.wait_until_idle(); });
  governor.resume();
  running.release();
  Permit next = permit_of(arrived(waits.admission));
  EXPECT_EQ(idle.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  next.release();
  arrived(idle);
}

// Whether the waiter already waits when the event comes is up to chance, hence the rounds.
TEST(GovernorOperate, WaitUntilIdleReturnsWhenTheLastPendingJobIsCancelled) {
  Governor governor(fixed_window(10), {}, flat(5));
  governor.pause();
  for (int round = 0; round < 20; ++round) {
    const auto job = submitted_job(governor.submit(costing(5)));
    auto idle = std::async(std::launch::async, [&] { governor.wait_until_idle(); });
    for (int i = 0; i < 200; ++i) std::this_thread::yield();
    EXPECT_TRUE(governor.cancel(job.id));
    arrived(idle);
  }
}

TEST(GovernorOperate, WaitUntilIdleReturnsWhenDrainingSetsTheQueueAside) {
  GovernorOptions options = fixed_window(10);
  options.window.interval = std::chrono::hours(1);
  for (int round = 0; round < 20; ++round) {
    Governor governor(options, {}, flat(5));
    governor.pause();
    const auto job = submitted_job(governor.submit(costing(5)));
    auto idle = std::async(std::launch::async, [&] { governor.wait_until_idle(); });
    for (int i = 0; i < 200; ++i) std::this_thread::yield();
    governor.drain();
    arrived(idle);
  }
}

TEST(GovernorOperate, ReloadActsAtOnceOnWhatWaits) {
  GovernorOptions options = fixed_window(10);
  options.window.interval = std::chrono::hours(1);
  fakes::Journal<WindowChange> changes;
  GovernorEvents events;
  events.on_window = [&](const WindowChange& change) { changes.add(change); };
  Governor governor(options, {}, flat(5), events);
  const Permit running = permit_of(governor.try_admit(costing(6)));
  auto waits = submitted_job(governor.submit(costing(10)));
  const Permit beside = fakes::settled(governor);
  GovernorOptions wider = fixed_window(40);
  wider.window.interval = std::chrono::hours(1);
  governor.reload(wider, {}, flat(8));
  const Permit next = permit_of(arrived(waits.admission));
  EXPECT_EQ(permit_of(governor.try_admit(JobRequest{})).cost(), Points{8});
  ASSERT_TRUE(changes.wait_for_count(1));
  EXPECT_EQ(changes.take()[0].cause, WindowCause::reload);
}

TEST(GovernorOperate, ReloadWithBadOptionsChangesNothing) {
  Governor governor(fixed_window(10), {}, flat(5));
  GovernorOptions bad = fixed_window(40);
  bad.window.step = Points{0};
  EXPECT_THROW(governor.reload(bad, {}, flat(8)), std::invalid_argument);
  const std::vector<Sensor> twins{fakes::Dial().sensor("load"), fakes::Dial().sensor("load")};
  EXPECT_THROW(governor.reload(fixed_window(40), twins, flat(8)), std::invalid_argument);
  EXPECT_THROW(governor.reload(fixed_window(40), {}, nullptr), std::invalid_argument);
  EXPECT_EQ(governor.status().size, Points{10});
  EXPECT_EQ(permit_of(governor.try_admit(JobRequest{})).cost(), Points{5});
}

TEST(GovernorOperate, ReloadedMaximumCapsTheCostThatARefusalNames) {
  Governor governor(fixed_window(10), {}, flat(5));
  governor.reload(fixed_window(40), {}, flat(5'000));
  const Permit permit = permit_of(governor.try_admit(costing(35)));
  EXPECT_EQ(std::get<Refusal>(governor.try_admit(JobRequest{})).cost, Points{40});
}

TEST(GovernorOperate, ConstructorNamesWhatIsWrong) {
  GovernorOptions bad = fixed_window(10);
  bad.window.maximum = Points{0};
  EXPECT_THROW(Governor(bad, {}, flat(5)), std::invalid_argument);
}

TEST(GovernorOperate, ReloadTakesTheNewIntervalAtOnce) {
  GovernorOptions slow = fixed_window(10);
  slow.window.interval = std::chrono::hours(1);
  fakes::Dial dial;
  Governor governor(slow, {dial.sensor("load")}, flat(5));
  ASSERT_TRUE(fakes::eventually([&] { return governor.status().registered; }));
  governor.reload(fixed_window(10), {dial.sensor("load")}, flat(5));
  EXPECT_TRUE(dial.wait_reads(5));
}

}  // namespace
}  // namespace sluice
