// Replays on a modelled machine, which answers what is admitted.
#include "cli/replay/host.h"

#include <gtest/gtest.h>

#include <string>

#include "replay_helpers.h"

namespace sluice::cli {
namespace {

/// Two CPUs under `law`; compilers that nobody declares anything about.
ReplayBuilder host_of(Law law) {
  ReplayBuilder builder;
  builder.scenario.cpus = 2;
  builder.scenario.host.emplace().cpus = 2;
  builder.scenario.config.governing.window = WindowOptions{};
  builder.scenario.config.governing.window.law = law;
  return builder;
}

void add(ReplayBuilder& builder, const std::string& name, int runs, int at = 0) {
  builder.job(at, name, runs).request.cost.reset();
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(ReplayHost, JobsThatShareTheCpusTakeLonger) {
  ReplayBuilder builder = host_of(Law::adaptive);
  for (const char* name : {"a", "b", "c"}) add(builder, name, 4);
  const std::string text = replay(builder).text;
  EXPECT_EQ(count(lines_with(text, {"\"t\":0.0", "admitted"}), "admitted"), 3u);
  EXPECT_EQ(count(lines_with(text, {"\"t\":6.1", "finished"}), "finished"), 3u)
      << "4 s x 3 / 2, and what switching costs\n"
      << text;
}

TEST(ReplayHost, KneeAdmitsWhatTheCpusBear) {
  ReplayBuilder builder = host_of(Law::knee);
  for (const char* name : {"a", "b", "c"}) add(builder, name, 4);
  const std::string text = replay(builder).text;
  EXPECT_EQ(count(lines_with(text, {"\"t\":0.0", "admitted"}), "admitted"), 2u);
  EXPECT_EQ(count(lines_with(text, {"\"t\":4.0", "finished"}), "finished"), 2u) << text;
  EXPECT_NE(text.find("\"binding\":\"cpu\""), text.npos);
}

TEST(ReplayHost, ANeighbourTakesItsShare) {
  ReplayBuilder builder = host_of(Law::knee);
  builder.scenario.host->neighbours = {{Duration{0}, std::nullopt, 2, false, Bytes{0}}};
  add(builder, "a", 4);
  add(builder, "b", 4);
  EXPECT_EQ(count(lines_with(replay(builder).text, {"\"t\":4.0", "finished"}), "finished"), 0u);
}

TEST(ReplayHost, AJobThatNeedsMoreMemoryThanThereIsIsKilled) {
  ReplayBuilder builder = host_of(Law::knee);
  builder.scenario.memory = Bytes{std::uint64_t{1} << 30};
  builder.job(0, "a", 0).phases = {
      {.runs = std::chrono::seconds(4), .cores = 1, .growth = Bytes{3ULL << 30}}};
  const std::string text = replay(builder).text;
  EXPECT_NE(text.find("\"job\":\"a\",\"usage\":0,\"outcome\":\"oom\""), text.npos) << text;
}

TEST(ReplayHost, ItsSensorsAreThoseThatTheMachineAnswers) {
  ReplayBuilder builder = host_of(Law::knee);
  EXPECT_EQ(modelled_sensors(builder.scenario), std::vector<std::string>{"load"});
  builder.scenario.memory = Bytes{std::uint64_t{1} << 30};
  builder.reading(0, "memory", 0.5);
  EXPECT_EQ(modelled_sensors(builder.scenario),
            (std::vector<std::string>{"load", "memory_pressure"}));
  builder.scenario.config.governing.sensors.load.presence = Presence::off;
  EXPECT_EQ(modelled_sensors(builder.scenario), std::vector<std::string>{"memory_pressure"});
}

TEST(ReplayHost, LoadTurnsRedUnderTooManyJobsAndRecovers) {
  ReplayBuilder builder = host_of(Law::adaptive);
  builder.scenario.config.governing.sensors.load.limit = 1;
  for (int i = 0; i < 3; ++i) add(builder, "a" + std::to_string(i), 120);
  add(builder, "late", 1, 150);
  const std::string text = replay(builder).text;
  EXPECT_NE(text.find("\"code\":\"sensor\",\"binding\":\"load\""), text.npos) << text;
  EXPECT_NE(text.find("\"event\":\"finished\",\"job\":\"late\""), text.npos) << text;
}

TEST(ReplayHost, AJobThatComesAfterHoursAndHasToWaitIsNotDropped) {
  ReplayBuilder builder = host_of(Law::knee);
  builder.scenario.memory = Bytes{std::uint64_t{1} << 30};
  builder.scenario.host->neighbours = {
      {std::chrono::hours(2), std::chrono::minutes(130), 0, false, Bytes{1000ULL << 20}}};
  add(builder, "late", 1, 7260);
  const std::string text = replay(builder).text;
  EXPECT_NE(lines_with(text, {"\"t\":7260.0", "refused", "\"binding\":\"memory\""}), "") << text;
  EXPECT_NE(lines_with(text, {"finished", "late"}), "") << text;
}

TEST(ReplayHost, IsNeededForPhases) {
  ReplayBuilder builder;
  builder.job(0, "a", 0).phases = {{.runs = std::chrono::seconds(4), .cores = 1}};
  const Replayed replayed = replay(builder);
  ASSERT_TRUE(replayed.error);
  EXPECT_EQ(replayed.error->message, "job `a`: phases needs `cpu` or `machine: {model: host}`");
}

TEST(ReplayHost, EqualScenariosGiveEqualRecords) {
  const auto play = [] {
    ReplayBuilder builder = host_of(Law::knee);
    for (int i = 0; i < 20; ++i) add(builder, "a" + std::to_string(i), 1 + i % 5, i);
    return replay(builder).text;
  };
  EXPECT_EQ(play(), play());
}

}  // namespace
}  // namespace sluice::cli
