#include "autoscale/fleet_state.h"

#include <gtest/gtest.h>

#include "fixture.h"

namespace sluice {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const TimePoint kNow{std::chrono::hours(5)};

FleetState full_state() {
  FleetState state = start_fleet(kNow - minutes(90));
  state.rules.last_change = kNow - minutes(3);
  state.rules.full_at = kNow - minutes(2);
  state.rules.mean = 17.25;
  state.rules.mean_at = kNow - seconds(60);
  state.rules.windows = {{"node001", 20}, {"node \"2\"", 14.5}};
  state.rules.shrunk_since = kNow - minutes(2);
  state.ordered = {{"node003", kNow - seconds(61)}};
  state.departing = {{"node001", DepartingExecutor::Step::draining, kNow - seconds(5)},
                     {"node002", DepartingExecutor::Step::ending, kNow - seconds(65)}};
  state.adding = {3, kNow + minutes(4)};
  state.removing = {0, kNow - minutes(90)};
  state.failed_drains = {{"node002", {2, kNow + minutes(1)}}};
  state.known = {"node001", "node002"};
  state.waiting_since = kNow - minutes(7);
  return state;
}

TEST(FleetStateTest, SurvivesTheFile) {
  const std::string text = write_state(full_state(), kNow, "boot");
  EXPECT_EQ(std::get<FleetState>(read_state(text, kNow + minutes(1), "boot")), full_state());
}

TEST(FleetStateTest, AfterAnotherBootEverythingIsWaitedForAnew) {
  const std::string text = write_state(full_state(), kNow, "boot");
  const TimePoint now{seconds(20)};
  const auto state = std::get<FleetState>(read_state(text, now, "other"));
  EXPECT_EQ(state.rules.last_change, now);
  EXPECT_EQ(state.departing[0].since, now);
  EXPECT_EQ(state.adding.retry, now);
  EXPECT_EQ(state.ordered[0].name, "node003");
}

TEST(FleetStateTest, ReadsAFileOfBeforeExecutorsSaidThatTheyAreFull) {
  FleetState state = full_state();
  state.rules.full_at.reset();
  std::string text = write_state(state, kNow, "boot");
  const std::string added = ",\"full_at\":null";
  ASSERT_NE(text.find(added), std::string::npos);
  text.erase(text.find(added), added.size());
  EXPECT_EQ(std::get<FleetState>(read_state(text, kNow, "boot")), state);
}

TEST(FleetStateTest, ReadsAFileOfBeforeFailedDrainsWaited) {
  FleetState state = full_state();
  state.failed_drains.clear();
  std::string text = write_state(state, kNow, "boot");
  const std::string added = ",\"failed_drains\":[]";
  ASSERT_NE(text.find(added), std::string::npos);
  text.erase(text.find(added), added.size());
  EXPECT_EQ(std::get<FleetState>(read_state(text, kNow, "boot")), state);
}

TEST(FleetStateTest, TextThatIsNoneIsRefused) {
  const std::string whole = write_state(full_state(), kNow, "boot");
  for (const std::string& text :
       {std::string(), std::string("{}"), whole.substr(0, whole.size() / 2), std::string("[1]"),
        std::string(R"({"format": 2})")}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(read_state(text, kNow, "boot"))) << text;
  }
}

TEST(FleetStateTest, TimesThatNobodyCanHaveWaitedAreTakenForTheLongestThatOneCan) {
  constexpr Duration century = std::chrono::hours(24 * 366 * 100);
  FleetState state = start_fleet(kNow);
  state.ordered = {{"node003", kNow - century}};
  std::string text = write_state(state, kNow, "boot");
  const std::string age = "3162240000000000000";
  ASSERT_NE(text.find(age), std::string::npos) << text;
  text.replace(text.find(age), age.size(), "9223372036854775807");
  const auto read = read_state(text, kNow, "boot");
  ASSERT_TRUE(std::holds_alternative<FleetState>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<FleetState>(read).ordered[0].since, kNow - century);
}

TEST(FleetStateTest, ATornFileIsKeptAsideAndSaid) {
  const testing::TemporaryFolder folder;
  testing::write_file(folder.path("state.json"), "{\"format\": 1, \"bo");
  FleetStateFile file(folder.path("state.json"));
  std::string note;
  EXPECT_EQ(file.load(kNow, note), start_fleet(kNow));
  EXPECT_NE(note.find("state.json.broken"), std::string::npos) << note;
}

TEST(FleetStateTest, OneAutoscalerAtATime) {
  const testing::TemporaryFolder folder;
  const FleetStateFile first(folder.path("deep/state.json"));
  EXPECT_THROW(FleetStateFile(folder.path("deep/state.json")), std::runtime_error);
}

TEST(FleetStateTest, WhatIsSavedIsThere) {
  const testing::TemporaryFolder folder;
  std::string note;
  const TimePoint now = Clock::now();
  FleetState state = start_fleet(now);
  state.known = {"node001"};
  {
    FleetStateFile file(folder.path("state.json"));
    EXPECT_EQ(file.save(state, now), std::nullopt);
  }
  EXPECT_EQ(FleetStateFile(folder.path("state.json")).load(now, note), state);
  EXPECT_EQ(note, "");
}

TEST(OrderDelayTest, DoublesUpToAnHour) {
  EXPECT_EQ(order_delay(1, seconds(60)), minutes(1));
  EXPECT_EQ(order_delay(4, seconds(60)), minutes(8));
  EXPECT_EQ(order_delay(1000, seconds(60)), std::chrono::hours(1));
}

}  // namespace
}  // namespace sluice
