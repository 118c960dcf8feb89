#include "governor/law/registration.h"

#include <gtest/gtest.h>

#include <random>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;

constexpr Duration kDwell = std::chrono::seconds(3);
const std::optional<Refusal> kFull = Refusal{};
const std::optional<Refusal> kOpen;

TEST(Registration, FirstStepAnnouncesWhatTheSensorsSay) {
  const auto open = step_registration({}, kOpen, kDwell, at(0));
  EXPECT_TRUE(open.changed);
  EXPECT_TRUE(open.state.registered);
  const auto full = step_registration({}, kFull, kDwell, at(0));
  EXPECT_TRUE(full.changed);
  EXPECT_FALSE(full.state.registered);
}

TEST(Registration, FullFromTheStartNeedsNoDwell) {
  const auto full = step_registration({}, kFull, kDwell, at(0));
  const auto open = step_registration(full.state, kOpen, kDwell, at(0));
  EXPECT_TRUE(open.changed);
  EXPECT_TRUE(open.state.registered);
}

TEST(Registration, DeregistersAtOnceAndReturnsAfterTheDwell) {
  auto state = step_registration({}, kOpen, kDwell, at(0)).state;
  auto step = step_registration(state, kFull, kDwell, at(10));
  EXPECT_TRUE(step.changed);
  EXPECT_FALSE(step.state.registered);

  step = step_registration(step.state, kOpen, kDwell, at(12.999));
  EXPECT_FALSE(step.changed);
  EXPECT_FALSE(step.state.registered);
  ASSERT_TRUE(step.wake);
  EXPECT_EQ(*step.wake, at(13));

  step = step_registration(step.state, kOpen, kDwell, at(13));
  EXPECT_TRUE(step.changed);
  EXPECT_TRUE(step.state.registered);
  EXPECT_FALSE(step.wake);
}

TEST(Registration, DwellCountsFromTheDeregistrationNotFromTheLastFlap) {
  auto state = step_registration({}, kOpen, kDwell, at(0)).state;
  state = step_registration(state, kFull, kDwell, at(10)).state;
  state = step_registration(state, kOpen, kDwell, at(11)).state;
  state = step_registration(state, kFull, kDwell, at(12)).state;
  EXPECT_TRUE(step_registration(state, kOpen, kDwell, at(13)).changed);
}

TEST(Registration, NoDwellRegistersAtTheSameInstant) {
  auto state = step_registration({}, kOpen, Duration{0}, at(0)).state;
  state = step_registration(state, kFull, Duration{0}, at(1)).state;
  EXPECT_TRUE(step_registration(state, kOpen, Duration{0}, at(1)).changed);
}

TEST(Registration, NothingToTellWhereNothingChanged) {
  const auto open = step_registration({}, kOpen, kDwell, at(0)).state;
  EXPECT_FALSE(step_registration(open, kOpen, kDwell, at(1)).changed);
  const auto full = step_registration(open, kFull, kDwell, at(2)).state;
  const auto step = step_registration(full, kFull, kDwell, at(50));
  EXPECT_FALSE(step.changed);
  EXPECT_FALSE(step.wake);
}

TEST(Registration, FlappingLoadIsToldAtMostOncePerDwellAndStrictlyAlternating) {
  std::mt19937_64 random(3);
  RegistrationState state;
  std::optional<bool> told;
  std::optional<TimePoint> left;
  for (int i = 0; i < 20000; ++i) {
    const TimePoint now = at(0.1 * i);
    const auto step = step_registration(state, random() % 2 != 0 ? kFull : kOpen, kDwell, now);
    state = step.state;
    if (!step.changed) continue;
    if (told) {
      EXPECT_NE(*told, state.registered);
    }
    if (state.registered && left) {
      EXPECT_GE(now - *left, kDwell);
    }
    // A governor that starts out full has not left, so it need not stay away.
    if (told && !state.registered) left = now;
    told = state.registered;
  }
}

}  // namespace
}  // namespace sluice
