// Sensors that fail, in recorded work.
#include "cli/whatif/recorded_work.h"

#include <gtest/gtest.h>

#include "../record/sample_record.h"
#include "cli/whatif/model_run.h"
#include "cli/whatif/recorded_scenario.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::SampleRecord;
using testing::started;
using testing::submitted;

constexpr const char* kOwnSensor =
    "window: {law: rfc, initial: 10, minimum: 10, maximum: 10}\n"
    "queues: {gate: {}}\n"
    "sensors: {load: off, memory: off, memory_pressure: off, own: {kind: file, path: /own, limit: "
    "40}}\n";

/// A machine with a sensor that was read as `pressure`.
SampleRecord day(std::int64_t pressure) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, record::Configured{2000, Bytes{4ULL << 30}, {kOwnSensor}})
      .add(0s, record::Level{})
      .add(500ms, record::Pressures{{{{"own"}, pressure}}});
  return sample;
}

record::SensorVerdict verdict(bool up, bool red) { return {{"own"}, red, up, false, {"gone"}}; }

RecordedWork work_of(const SampleRecord& sample) {
  RecordedWork work;
  sample.tell_part({}, [&](const auto& each, Side side) { work.add(each, side); });
  return work;
}

/// The sensor's pressures in thousandths, as "900 1000 0 ".
std::string pressures_in(const SampleRecord& sample) {
  std::string shown;
  for (const auto& [when, changed] : work_of(sample).pressures) {
    shown += std::to_string(changed.of.front().second) + " ";
  }
  return shown;
}

TEST(RecordedWork, AJobWaitsInTheModelForASensorThatFailsRed) {
  record::JobSubmitted job = submitted(1, "a");
  job.own_cost = Points{10};
  SampleRecord sample = day(0);
  sample.add(1s, verdict(false, true))
      .add(2s, job)
      .add(8s, verdict(true, false))
      .add(8500ms, started(1))
      .add(10s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 1s, 1500ms, Bytes{1}});
  const auto recorded = std::get<RecordedScenario>(scenario_of(work_of(sample), {}));
  const auto figures = std::get<RunFigures>(run_model(recorded.scenario));
  EXPECT_EQ(recorded.recorded.waits.at("a"), 6500ms);
  EXPECT_GE(figures.waits.at("a"), 5900ms);
  EXPECT_LE(figures.waits.at("a"), 6100ms);
}

TEST(RecordedWork, ASensorThatFailsRedPressesUntilItIsReadAgain) {
  SampleRecord sample = day(200);
  sample.add(1s, verdict(false, true));
  EXPECT_EQ(pressures_in(sample), "200 1000 ");
  SampleRecord read = sample;
  read.add(3s, record::Pressures{{{{"own"}, 500}}}).add(4s, verdict(true, false));
  EXPECT_EQ(pressures_in(read), "200 1000 500 ");
  SampleRecord red = sample;
  red.add(3s, verdict(true, true));
  EXPECT_EQ(pressures_in(red), "200 1000 1000 ");
  SampleRecord restarted = sample;
  restarted.add(3s, record::DaemonEvent{"started", {""}}).add(4s, verdict(true, false));
  EXPECT_EQ(pressures_in(restarted), "200 1000 0 ");
}

TEST(RecordedWork, ASensorThatFailedBeforeTheRecordBeginsPressesFromItsNextSegmentOn) {
  record::JobSubmitted job = submitted(1, "a");
  job.own_cost = Points{10};
  SampleRecord sample = day(0);
  sample.add(1s, record::Restated{0, 0, {verdict(false, true)}});
  EXPECT_EQ(pressures_in(sample), "0 1000 ");
  sample.add(2s, job)
      .add(8s, verdict(true, false))
      .add(8500ms, started(1))
      .add(10s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 1s, 1500ms, Bytes{1}});
  EXPECT_EQ(pressures_in(sample), "0 1000 0 ") << "its recovery counts, too";
  const auto recorded = std::get<RecordedScenario>(scenario_of(work_of(sample), {}));
  EXPECT_GE(std::get<RunFigures>(run_model(recorded.scenario)).waits.at("a"), 5900ms);
}

TEST(RecordedWork, ASensorThatIsToldAgainAsRedIsRedOnce) {
  SampleRecord sample = day(200);
  sample.add(1s, verdict(false, true)).add(2s, record::Restated{0, 0, {verdict(false, true)}});
  EXPECT_EQ(pressures_in(sample), "200 1000 ");
  SampleRecord read = day(1200);
  read.add(1s, record::Restated{0, 0, {verdict(true, true)}});
  EXPECT_EQ(pressures_in(read), "1200 ") << "it did not fail";
}

TEST(RecordedWork, ASensorThatIsReadAsBeforeItFailedHasItsOldPressure) {
  SampleRecord sample = day(950);
  sample.add(1s, verdict(false, true)).add(3s, verdict(true, false));
  EXPECT_EQ(pressures_in(sample), "950 1000 0 950 ") << "green first: `resume` is below 950";
  SampleRecord ignored = day(950);
  ignored.add(1s, verdict(false, false)).add(3s, verdict(true, false));
  EXPECT_EQ(pressures_in(ignored), "950 0 0 950 ");
  SampleRecord higher = day(3000);
  higher.add(1s, verdict(false, true)).add(3s, verdict(true, false));
  EXPECT_EQ(pressures_in(higher), "3000 3000 0 ") << "what it is read with comes next";
}

}  // namespace
}  // namespace sluice::cli
