#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
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

/// Polls the sensors so rarely that no poll can cause anything in a test.
GovernorOptions without_looks(GovernorOptions options) {
  options.window.interval = std::chrono::hours(1);
  return options;
}

Submitted submitted(std::variant<Submitted, Refusal> result) {
  return std::get<Submitted>(std::move(result));
}

TEST(GovernorSubmit, FutureBringsThePermit) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  auto job = submitted(governor.submit(costing(7)));
  const Permit permit = permit_of(arrived(job.admission));
  EXPECT_EQ(permit.id(), job.id);
  EXPECT_EQ(permit.cost(), Points{7});
  EXPECT_EQ(governor.job(job.id)->state, JobState::running);
}

TEST(GovernorSubmit, CallbackBringsThePermitOnceAndWithoutALock) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  std::promise<std::pair<JobId, Permit>> promise;
  auto future = promise.get_future();
  const auto result = governor.submit(costing(7), [&](JobId id, Admission admission) {
    governor.status();
    promise.set_value({id, permit_of(std::move(admission))});
  });
  const auto [id, permit] = arrived(future);
  EXPECT_EQ(id, std::get<Queued>(result).id);
  EXPECT_EQ(permit.id(), id);
}

TEST(GovernorSubmit, FinishAdmitsTheNextWithoutWaitingForALook) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  Permit first = permit_of(governor.try_admit(costing(10)));
  auto second = submitted(governor.submit(costing(10)));
  auto third = submitted(governor.submit(costing(10)));
  first.release();
  Permit permit = permit_of(arrived(second.admission));
  EXPECT_EQ(governor.job(third.id)->refusal->code, RefusalCode::window);
  permit.release();
  permit_of(arrived(third.admission));
}

TEST(GovernorSubmit, FinishWakesWhoWaitsAlsoWhereTheWindowWasNeverFull) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  Permit first = permit_of(governor.try_admit(costing(8)));
  auto second = submitted(governor.submit(costing(9)));
  const Permit beside = fakes::settled(governor);
  first.release();
  permit_of(arrived(second.admission));
}

TEST(GovernorSubmit, StartsByPriorityThenArrival) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  Permit first = permit_of(governor.try_admit(costing(10)));
  fakes::Journal<std::uint64_t> started;
  for (const int priority : {0, 5, 0, 5}) {
    governor.submit(costing(10, priority), [&](JobId id, Admission) { started.add(id.value); });
  }
  first.release();
  ASSERT_TRUE(started.wait_for_count(4));
  EXPECT_EQ(started.take(), (std::vector<std::uint64_t>{3, 5, 2, 4}));
}

TEST(GovernorSubmit, PermitOfADroppedFutureComesBack) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  { submitted(governor.submit(costing(10))); }
  governor.wait_until_idle();
  EXPECT_EQ(governor.status().usage, Points{0});
  EXPECT_EQ(governor.status().counters.finished[0], 1u);
}

TEST(GovernorSubmit, CallbackMaySubmitTheNextJob) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  std::promise<void> done;
  auto future = done.get_future();
  governor.submit(costing(10), [&](JobId, Admission first) {
    permit_of(std::move(first)).release();
    governor.submit(costing(10), [&](JobId, Admission second) {
      permit_of(std::move(second)).release();
      done.set_value();
    });
  });
  arrived(future);
  governor.wait_until_idle();
}

TEST(GovernorSubmit, CancelEndsTheWaitOnce) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  const Permit first = permit_of(governor.try_admit(costing(6)));
  auto job = submitted(governor.submit(costing(7)));
  const Permit beside = fakes::settled(governor);
  EXPECT_TRUE(governor.cancel(job.id));
  EXPECT_FALSE(governor.cancel(job.id));
  const auto refusal = std::get<Refusal>(arrived(job.admission));
  EXPECT_EQ(refusal.code, RefusalCode::cancelled);
  EXPECT_EQ(refusal.cost, Points{7});
  EXPECT_EQ(refusal.usage, Points{7});
  EXPECT_EQ(refusal.size, Points{10});
  EXPECT_FALSE(governor.job(job.id));
  EXPECT_FALSE(governor.cancel(first.id()));
}

TEST(GovernorSubmit, JobMayBeCancelledBeforeAnybodyLookedAtIt) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  for (int i = 0; i < 500; ++i) {
    auto job = submitted(governor.submit(costing(3)));
    const bool cancelled = governor.cancel(job.id);
    Admission admission = arrived(job.admission);
    EXPECT_EQ(std::holds_alternative<Refusal>(admission), cancelled);
    if (cancelled) {
      EXPECT_EQ(std::get<Refusal>(admission).cost, Points{3});
    }
  }
}

TEST(GovernorSubmit, CancelOfTheFirstInLineLetsTheNextPass) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  const Permit first = permit_of(governor.try_admit(costing(6)));
  auto large = submitted(governor.submit(costing(7)));
  auto small = submitted(governor.submit(costing(3)));
  const Permit beside = fakes::settled(governor);
  governor.cancel(large.id);
  permit_of(arrived(small.admission));
}

TEST(GovernorSubmit, RefusedSubmitDoesNotCallBack) {
  GovernorOptions options = without_looks(fixed_window(10));
  options.max_pending = 1;
  Governor governor(options, {}, flat(5));
  const OnAdmission never = [](JobId, Admission) { ADD_FAILURE() << "called back"; };
  const Permit permit = permit_of(governor.try_admit(costing(10)));
  EXPECT_EQ(code_of(governor.submit(costing(11), never)), RefusalCode::impossible);
  auto waits = submitted(governor.submit(costing(1)));
  EXPECT_EQ(code_of(governor.submit(costing(1), never)), RefusalCode::max_pending);
  governor.drain();
  EXPECT_EQ(code_of(governor.submit(costing(1), never)), RefusalCode::draining);
  EXPECT_EQ(governor.status().counters.submitted, 2u);
}

TEST(GovernorSubmit, ShutdownRefusesEachPendingJobOnceWithDraining) {
  struct End {
    JobId id;
    Refusal refusal;
  };
  fakes::Journal<End> ends;
  {
    Permit permit;  // Outlives the governor: if returned earlier, it would let a job start.
    Governor governor(without_looks(fixed_window(10)), {}, flat(5));
    permit = permit_of(governor.try_admit(costing(10)));
    for (int i = 1; i <= 5; ++i) {
      governor.submit(costing(i), [&](JobId id, Admission admission) {
        ends.add({id, std::get<Refusal>(admission)});
      });
    }
    EXPECT_TRUE(governor.cancel(JobId{4}));
  }
  const std::vector<End> told = ends.take();
  ASSERT_EQ(told.size(), 5u);
  std::set<JobId> ids;
  for (const End& end : told) {
    EXPECT_TRUE(ids.insert(end.id).second);
    const bool cancelled = end.id == JobId{4};
    EXPECT_EQ(end.refusal.code, cancelled ? RefusalCode::cancelled : RefusalCode::draining);
    EXPECT_EQ(end.refusal.cost.value, static_cast<std::int64_t>(end.id.value) - 1);
  }
}

TEST(GovernorSubmit, WindowThatGrowsAdmitsWhatWaits) {
  GovernorOptions options = fakes::window_of(10, 100);
  options.window.step = Points{10};
  fakes::Journal<WindowChange> changes;
  GovernorEvents events;
  events.on_window = [&](const WindowChange& change) { changes.add(change); };
  Governor governor(options, {}, flat(5), events);
  const Permit first = permit_of(governor.try_admit(costing(10)));
  auto second = submitted(governor.submit(costing(10)));
  const Permit permit = permit_of(arrived(second.admission));
  ASSERT_TRUE(changes.wait_for_count(1));
  const WindowChange change = changes.take()[0];
  EXPECT_EQ(change.from, Points{10});
  EXPECT_EQ(change.to, Points{20});
  EXPECT_EQ(change.cause, WindowCause::growth);
}

TEST(GovernorSubmit, WindowGrowsForJobsThatAreTriedAndRefused) {
  GovernorOptions options = fakes::window_of(10, 100);
  options.window.law = Law::adaptive;
  options.window.round = std::chrono::milliseconds(2);
  options.window.idle_restart = std::chrono::hours(1);
  Governor governor(options, {}, flat(5));
  const Permit permit = permit_of(governor.try_admit(costing(10)));
  EXPECT_TRUE(fakes::eventually([&] {
    const Admission admission = governor.try_admit(costing(10));
    return std::holds_alternative<Permit>(admission);
  }));
  EXPECT_GT(governor.status().size, Points{10});
}

TEST(GovernorSubmit, RefusalsAreCountedByTheirCode) {
  Governor governor(without_looks(fixed_window(10)), {}, flat(5));
  const Permit permit = permit_of(governor.try_admit(costing(8)));
  const auto count = [&](RefusalCode code) {
    return governor.status().counters.rejected[static_cast<std::size_t>(code)];
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(code_of(governor.try_admit(costing(3))), RefusalCode::window);
  EXPECT_EQ(code_of(governor.try_admit(costing(11))), RefusalCode::impossible);
  EXPECT_EQ(code_of(governor.submit(costing(11))), RefusalCode::impossible);
  const auto waits = submitted(governor.submit(costing(3)));
  EXPECT_EQ(code_of(governor.try_admit(costing(1))), RefusalCode::behind);
  EXPECT_EQ(count(RefusalCode::window), 3u);
  EXPECT_EQ(count(RefusalCode::impossible), 2u);
  EXPECT_EQ(count(RefusalCode::behind), 1u);
  EXPECT_EQ(governor.status().counters.submitted, 2u);
}

TEST(GovernorSubmit, RunningJobsAreListedInOrderOfAdmission) {
  Governor governor(without_looks(fixed_window(100)), {}, flat(5));
  std::vector<Permit> permits;
  std::vector<JobId> expected;
  for (int i = 0; i < 10; ++i) {
    auto job = submitted(governor.submit(costing(1)));
    permits.push_back(permit_of(arrived(job.admission)));
    permits.push_back(permit_of(governor.try_admit(costing(1))));
  }
  for (const Permit& permit : permits) expected.push_back(permit.id());
  std::vector<JobId> listed;
  for (const JobView& job : governor.jobs()) listed.push_back(job.id);
  EXPECT_EQ(listed, expected);
}

}  // namespace
}  // namespace sluice
