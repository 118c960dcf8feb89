// Reloads and pauses of queues in a record, under other configurations.
#include <gtest/gtest.h>

#include "../record/sample_record.h"
#include "cli/whatif/recorded_scenario.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::SampleRecord;
using testing::started;

constexpr const char* kBoth =
    "window: {law: rfc, initial: 60, minimum: 60, maximum: 60}\n"
    "sensors: {load: off}\nqueues: {a: {}, b: {}}\n";
constexpr const char* kOnlyA =
    "window: {law: rfc, initial: 60, minimum: 60, maximum: 60}\n"
    "sensors: {load: off}\nqueues: {a: {}}\n";

/// Two jobs of 30 points that run together for two seconds, in a window of 60.
SampleRecord two_jobs_in(const std::string& queue) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, record::Configured{2000, Bytes{4ULL << 30}, {kBoth}})
      .add(0s, record::Level{});
  for (const std::uint64_t job : {1, 2}) {
    record::JobSubmitted entry = testing::submitted(job, "");
    entry.queue = {queue};
    entry.own_cost = Points{30};
    sample.add(1s, entry);
  }
  sample.add(1s, started(1)).add(1s, started(2));
  for (const std::uint64_t job : {1, 2}) {
    sample.add(3s, record::JobFinished{JobId{job}, "ok", "finish", "", true, 2s, 2s, Bytes{1}});
  }
  return sample;
}

RecordedScenario under(const SampleRecord& sample, const ScenarioOverrides& overrides) {
  RecordedWork work;
  sample.tell_part({}, [&](const auto& each, Side side) { work.add(each, side); });
  auto result = scenario_of(work, overrides);
  return std::get<RecordedScenario>(std::move(result));
}

TEST(RecordedReload, AQueueThatWasRemovedStaysForJobsThatAreLaterInTheModel) {
  SampleRecord sample = two_jobs_in("b");
  sample.add(3100ms, record::Configured{2000, Bytes{4ULL << 30}, {kOnlyA}});
  const RecordedScenario recorded = under(
      sample,
      {.settings = {{"window.maximum", "30"}, {"window.initial", "30"}, {"window.minimum", "30"}}});
  const auto result = run_model(recorded.scenario);
  const auto* error = std::get_if<ConfigError>(&result);
  ASSERT_FALSE(error) << to_string(*error);
  const RunFigures& figures = std::get<RunFigures>(result);
  EXPECT_EQ(figures.waits.size(), 2U);
  EXPECT_GE(wait_percentile(figures, 1), 1900ms);
}

TEST(RecordedReload, APauseOfAQueueThatTheConfigurationLacksIsLeftOutWithARemark) {
  SampleRecord sample = two_jobs_in("a");
  sample.add(4s, record::DaemonEvent{"operated", {"queue b paused"}})
      .add(5s, record::DaemonEvent{"operated", {"queue b resumed"}})
      .add(6s, record::DaemonEvent{"operated", {"queue a paused"}})
      .add(7s, record::Level{});
  ScenarioOverrides overrides;
  overrides.config = {kOnlyA, "new.yaml"};
  const RecordedScenario recorded = under(sample, overrides);
  ASSERT_EQ(recorded.scenario.events.size(), 1U);
  EXPECT_EQ(recorded.scenario.events[0].queue, "a");
  EXPECT_EQ(
      recorded.remarks,
      std::vector<std::string>{"new.yaml has no queue `b`: pausing or resuming it has no effect"});
  EXPECT_TRUE(std::holds_alternative<RunFigures>(run_model(recorded.scenario)));
}

TEST(RecordedReload, AnErrorNamesTheConfigurationThatItIsUnder) {
  ScenarioOverrides overrides;
  overrides.config = {kOnlyA, "new.yaml"};
  const auto result = run_model(under(two_jobs_in("b"), overrides).scenario);
  const auto* error = std::get_if<ConfigError>(&result);
  ASSERT_TRUE(error);
  EXPECT_TRUE(to_string(*error).starts_with(
      "the record under new.yaml: job `1`: queue: there is no queue `b`"))
      << to_string(*error);
}

}  // namespace
}  // namespace sluice::cli
