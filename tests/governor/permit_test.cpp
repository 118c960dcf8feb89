#include "sluice/permit.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "governor/threads/governor_state.h"
#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::costing;
using fakes::fixed_window;
using fakes::flat;
using fakes::permit_of;

class PermitTest : public ::testing::Test {
 protected:
  Permit permit(std::int64_t points) { return permit_of(governor_->try_admit(costing(points))); }
  std::int64_t usage() const { return governor_->status().usage.value; }
  std::uint64_t finished(Outcome outcome = Outcome::ok) const {
    return governor_->status().counters.finished[static_cast<std::size_t>(outcome)];
  }

  std::optional<Governor> governor_{std::in_place, fixed_window(100), std::vector<Sensor>{},
                                    flat(5)};
};

static_assert(!std::is_copy_constructible_v<Permit> && !std::is_copy_assignable_v<Permit>);
static_assert(std::is_nothrow_move_constructible_v<Permit>);
static_assert(std::is_nothrow_move_assignable_v<Permit>);

TEST_F(PermitTest, ReturnsItsPointsWhenDestroyed) {
  {
    const Permit one = permit(10);
    EXPECT_EQ(usage(), 10);
  }
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(finished(), 1u);
}

TEST_F(PermitTest, SecondReleaseDoesNothing) {
  Permit one = permit(10);
  const Permit other = permit(7);
  one.release(Outcome::failed);
  EXPECT_FALSE(one);
  one.release();
  one.release(Outcome::oom);
  EXPECT_EQ(usage(), 7);
  EXPECT_EQ(finished(Outcome::failed), 1u);
  EXPECT_EQ(finished(), 0u);
}

TEST_F(PermitTest, MoveHandsTheRightOver) {
  Permit one = permit(10);
  const JobId id = one.id();
  {
    Permit two = std::move(one);
    EXPECT_FALSE(one);
    EXPECT_TRUE(two);
    EXPECT_EQ(two.id(), id);
    EXPECT_EQ(two.cost(), Points{10});
    one.release();
    EXPECT_EQ(usage(), 10);
  }
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(finished(), 1u);
}

TEST_F(PermitTest, MoveToItselfKeepsTheRight) {
  Permit one = permit(10);
  Permit& same = one;
  one = std::move(same);
  EXPECT_TRUE(one);
  EXPECT_EQ(usage(), 10);
}

TEST_F(PermitTest, AssigningOverReturnsTheOldOneFirst) {
  Permit one = permit(10);
  one = permit(7);
  EXPECT_EQ(usage(), 7);
  EXPECT_EQ(finished(), 1u);
  one = Permit();
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(finished(), 2u);
}

TEST_F(PermitTest, EmptyPermitIsHarmless) {
  Permit none;
  EXPECT_FALSE(none);
  none.started();
  none.release();
  Permit moved = std::move(none);
  EXPECT_FALSE(moved);
  EXPECT_EQ(finished(), 0u);
}

TEST_F(PermitTest, MayComeBackFromAnotherThread) {
  std::thread([one = permit(10)]() mutable { one.release(Outcome::cancelled); }).join();
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(finished(Outcome::cancelled), 1u);
}

TEST_F(PermitTest, ReportedStartOpensTheStartingGate) {
  GovernorOptions options = fixed_window(100);
  options.starting_most = 1;
  options.window.interval = std::chrono::hours(1);
  governor_->reload(options, {}, flat(5));
  Permit one = permit_of(governor_->try_admit(fakes::reporting_start(1)));
  auto next = std::get<Submitted>(governor_->submit(fakes::reporting_start(1)));
  EXPECT_EQ(governor_->job(next.id)->refusal->binding, "starting");
  EXPECT_TRUE(governor_->job(one.id())->starting);
  one.started();
  const Permit two = permit_of(fakes::arrived(next.admission));
  EXPECT_FALSE(governor_->job(one.id())->starting);
}

TEST_F(PermitTest, OutlivesItsGovernor) {
  Permit released = permit(10);
  Permit destroyed = permit(7);
  Permit assigned = permit(5);
  governor_.reset();
  EXPECT_TRUE(released);
  released.started();
  released.release(Outcome::ok);
  EXPECT_FALSE(released);
  assigned = std::move(destroyed);
  EXPECT_TRUE(assigned);
}

TEST(PermitAfterTheEnd, IsStillBookedBackExactlyOnce) {
  const auto state =
      std::make_shared<GovernorState>(fixed_window(100), std::vector<Sensor>{}, flat(5),
                                      GovernorEvents{}, std::vector<std::shared_ptr<WorkSource>>{});
  state->start();
  Permit permit = permit_of(state->try_admit(costing(10)));
  state->stop();
  EXPECT_EQ(state->status().usage, Points{10});
  permit.release(Outcome::failed);
  permit.release();
  EXPECT_EQ(state->status().usage, Points{0});
  EXPECT_EQ(state->status().counters.finished[static_cast<std::size_t>(Outcome::failed)], 1u);
  EXPECT_EQ(state->status().counters.finished[static_cast<std::size_t>(Outcome::ok)], 0u);
}

}  // namespace
}  // namespace sluice
