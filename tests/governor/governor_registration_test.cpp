#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "live_fakes.h"

namespace sluice {
namespace {

using fakes::costing;
using fakes::fixed_window;
using fakes::flat;
using fakes::permit_of;
using fakes::RecordingSource;

struct Told {
  bool accepting = false;
  std::string reason;
};

class GovernorRegistration : public ::testing::Test {
 protected:
  void govern(Duration dwell, std::vector<Sensor> sensors = {}) {
    GovernorOptions options = fixed_window(10);
    options.window.dwell = dwell;
    GovernorEvents events;
    events.on_accepting = [this](bool accepting, const std::string& reason) {
      told_.add({accepting, reason});
    };
    governor_.emplace(options, std::move(sensors), flat(5), events,
                      std::vector<std::shared_ptr<WorkSource>>{first_, second_});
  }

  std::shared_ptr<RecordingSource> first_ = std::make_shared<RecordingSource>();
  std::shared_ptr<RecordingSource> second_ = std::make_shared<RecordingSource>();
  fakes::Journal<Told> told_;
  std::optional<Governor> governor_;
};

TEST_F(GovernorRegistration, AWorkSourceThatIsNullIsRefusedByItsPlace) {
  second_ = nullptr;
  try {
    govern(Duration{0});
    ADD_FAILURE() << "a null source was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "work_sources[1] is null");
  }
}

TEST_F(GovernorRegistration, EverySourceIsRegisteredAtTheStart) {
  govern(Duration{0});
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  ASSERT_TRUE(second_->calls.wait_for_count(1));
  EXPECT_TRUE(first_->calls.take()[0].registered);
  EXPECT_TRUE(second_->calls.take()[0].registered);
  EXPECT_TRUE(told_.take()[0].accepting);
  EXPECT_TRUE(governor_->status().registered);
}

TEST_F(GovernorRegistration, RedAtTheStartNeverRegistersAndSaysSo) {
  fakes::Dial load;
  load.show(2);
  govern(Duration{0}, {load.sensor("load")});
  ASSERT_TRUE(told_.wait_for_count(1));
  const auto told = told_.take();
  EXPECT_FALSE(told[0].accepting);
  EXPECT_EQ(told[0].reason, "sensor load is red");
  EXPECT_FALSE(governor_->status().registered);
  governor_.reset();
  EXPECT_TRUE(first_->calls.take().empty());
}

TEST_F(GovernorRegistration, FullDeregistersAtOnceAndRoomRegistersAfterTheDwell) {
  constexpr auto kDwell = std::chrono::milliseconds(40);
  govern(kDwell);
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  const TimePoint before = Clock::now();
  Permit permit = permit_of(governor_->try_admit(costing(10)));
  ASSERT_TRUE(first_->calls.wait_for_count(2));
  permit.release();
  ASSERT_TRUE(first_->calls.wait_for_count(3));
  ASSERT_TRUE(second_->calls.wait_for_count(3));
  const auto calls = first_->calls.take();
  EXPECT_FALSE(calls[1].registered);
  EXPECT_EQ(calls[1].reason, "the window is full: 10 of 10 points are in use");
  EXPECT_TRUE(calls[2].registered);
  EXPECT_GE(calls[2].when - before, kDwell);
}

TEST_F(GovernorRegistration, PauseDeregistersAndResumeRegisters) {
  govern(Duration{0});
  ASSERT_TRUE(told_.wait_for_count(1));
  governor_->pause();
  ASSERT_TRUE(told_.wait_for_count(2));
  governor_->resume();
  ASSERT_TRUE(told_.wait_for_count(3));
  governor_->drain();
  ASSERT_TRUE(told_.wait_for_count(4));
  const auto told = told_.take();
  EXPECT_FALSE(told[1].accepting);
  EXPECT_EQ(told[1].reason, "paused by the operator");
  EXPECT_TRUE(told[2].accepting);
  EXPECT_FALSE(told[3].accepting);
  EXPECT_EQ(told[3].reason, "draining: takes no more work");
}

TEST_F(GovernorRegistration, RedSensorDeregistersAnIdleExecutor) {
  fakes::Dial load;
  govern(Duration{0}, {load.sensor("load")});
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  load.show(1.5);
  ASSERT_TRUE(first_->calls.wait_for_count(2));
  EXPECT_EQ(first_->calls.take()[1].reason, "sensor load is red");
}

TEST_F(GovernorRegistration, EndOfTheGovernorIsTheLastDeregistration) {
  govern(Duration{0});
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  governor_.reset();
  const auto calls = first_->calls.take();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_FALSE(calls[1].registered);
  EXPECT_FALSE(told_.take().back().accepting);
}

TEST_F(GovernorRegistration, ExecutorThatIsOutAlreadyIsNotDeregisteredAgainAtTheEnd) {
  govern(std::chrono::hours(1));
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  governor_->pause();
  ASSERT_TRUE(first_->calls.wait_for_count(2));
  governor_.reset();
  EXPECT_EQ(first_->calls.take().size(), 2u);
}

TEST_F(GovernorRegistration, CallsAlternateHoweverOftenTheWindowFills) {
  govern(Duration{0});
  for (int i = 0; i < 2000; ++i) permit_of(governor_->try_admit(costing(10))).release();
  governor_.reset();
  for (const auto& source : {first_, second_}) {
    const auto calls = source->calls.take();
    for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i].registered, i % 2 == 0);
    EXPECT_FALSE(!calls.empty() && calls.back().registered);
  }
}

TEST_F(GovernorRegistration, DwellKeepsAnEdgeFromFlapping) {
  constexpr auto kDwell = std::chrono::milliseconds(20);
  const TimePoint began = Clock::now();
  govern(kDwell);
  ASSERT_TRUE(first_->calls.wait_for_count(1));
  while (Clock::now() - began < std::chrono::milliseconds(200)) {
    permit_of(governor_->try_admit(costing(10))).release();
  }
  governor_.reset();
  const auto lasted = Clock::now() - began;
  const auto calls = first_->calls.take();
  EXPECT_GE(calls.size(), 3u);
  EXPECT_LE(calls.size(), 2 * static_cast<std::size_t>(lasted / kDwell + 2));
}

}  // namespace
}  // namespace sluice
