// When jobs come in a scenario whose submission the record has lost, or tells again.
#include <gtest/gtest.h>

#include "../record/sample_record.h"
#include "cli/whatif/recorded_scenario.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::SampleRecord;
using testing::started;
using testing::submitted;
using testing::told_again;

record::JobFinished finished(std::uint64_t job) {
  return {JobId{job}, "ok", "finish", "", true, 5s, 5s, Bytes{1 << 28}};
}

/// A machine with two CPUs, and a job.
SampleRecord day() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"});
  sample.add(0s, record::Configured{2000, Bytes{4ULL << 30}, {"{}"}}).add(0s, record::Level{});
  return sample.add(1s, submitted(1, "a")).add(1s, started(1)).add(6s, finished(1));
}

RecordedWork work_of(const SampleRecord& sample) {
  RecordedWork work;
  sample.tell_part({}, [&](const auto& each, Side side) { work.add(each, side); });
  return work;
}

RecordedScenario scenario_in(const SampleRecord& sample) {
  auto result = scenario_of(work_of(sample), {});
  if (const auto* problem = std::get_if<std::string>(&result)) ADD_FAILURE() << *problem;
  return std::get<RecordedScenario>(std::move(result));
}

std::string problem_in(const SampleRecord& sample) {
  auto result = scenario_of(work_of(sample), {});
  const auto* problem = std::get_if<std::string>(&result);
  return problem ? *problem : "";
}

TEST(RecordedSubmission, AJobWithoutOneComesWithItsFirstEntryAndARemark) {
  SampleRecord sample = day();
  sample.add(250s, testing::waits(2, "window", 1))
      .add(300s, started(2))
      .add(305s, finished(2))
      .add(310s, started(3))
      .add(315s, finished(3));
  const RecordedScenario recorded = scenario_in(sample);
  ASSERT_EQ(recorded.scenario.jobs.size(), 3U);
  EXPECT_EQ(recorded.scenario.jobs[1].at, 250s);
  EXPECT_EQ(recorded.scenario.jobs[2].at, 310s);
  EXPECT_EQ(recorded.recorded.waits.size(), 1U) << "nobody knows how long the others waited";
  EXPECT_EQ(
      recorded.remarks,
      std::vector<std::string>{"jobs whose submission is not on record: 2, which arrive when the "
                               "record first mentions them"});
}

TEST(RecordedSubmission, AJobThatRanWhenTheRecordBeginsComesThenWithoutARemark) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, record::Configured{2000, Bytes{4ULL << 30}, {"{}"}})
      .add(0s, started(1))
      .add(5s, finished(1));
  const RecordedScenario recorded = scenario_in(sample);
  ASSERT_EQ(recorded.scenario.jobs.size(), 1U);
  EXPECT_EQ(recorded.scenario.jobs[0].at, 0s);
  EXPECT_TRUE(recorded.remarks.empty());
}

TEST(RecordedSubmission, AJobToldAgainComesWhenItCame) {
  SampleRecord sample = day();
  sample.add(300s, told_again(2, "b", 20s)).add(300s, record::Restated{1});
  sample.add(301s, started(2)).add(306s, finished(2));
  const RecordedScenario recorded = scenario_in(sample);
  ASSERT_EQ(recorded.scenario.jobs.size(), 2U);
  EXPECT_EQ(recorded.scenario.jobs[1].request.id, "b");
  EXPECT_EQ(recorded.scenario.jobs[1].at, 20s);
  EXPECT_EQ(recorded.recorded.waits.at("b"), 281s);
  EXPECT_TRUE(recorded.remarks.empty());
}

TEST(RecordedSubmission, AJobToldAgainThatRanBeforeTheRecordBeginsIsThereOnce) {
  SampleRecord sample;
  sample.add(100s, record::SegmentStart{"1.2.3", "boot"});
  for (const Duration at : {101s, 201s}) {
    sample.add(at, told_again(1, "a", 4s, 5s)).add(at, record::Restated{1});
    sample.add(at, record::Configured{2000, Bytes{4ULL << 30}, {"{}"}}).add(at, record::Level{});
  }
  sample.add(211s, record::JobFinished{JobId{1}, "ok", "finish", "", true, 206s, 206s, Bytes{1}});
  const RecordedScenario recorded = scenario_in(sample);
  ASSERT_EQ(recorded.scenario.jobs.size(), 1U);
  EXPECT_EQ(recorded.scenario.jobs[0].at, 0s);
  EXPECT_EQ(recorded.scenario.jobs[0].phases.at(0).runs, 110s) << "the rest of it";
  EXPECT_TRUE(recorded.recorded.waits.empty());
}

TEST(RecordedSubmission, TheCallsOfARecordAreNotTakenForOneOfAnOlderSluice) {
  SampleRecord calls;
  calls.add(0s, record::SegmentStart{"1.2.3", "boot"}).add(1s, record::GovernorCall{"call"});
  EXPECT_EQ(problem_in(calls),
            "these are the calls of a record, for sluice replay: give the folder above");
  SampleRecord bare;
  bare.add(0s, record::SegmentStart{"1.2.3", "boot"}).add(1s, submitted(1, "a"));
  EXPECT_EQ(problem_in(bare),
            "the record does not say how many CPUs the machine has: give --cpus NUMBER (an older "
            "Sluice wrote it, or parts of it are missing)");
}

}  // namespace
}  // namespace sluice::cli
