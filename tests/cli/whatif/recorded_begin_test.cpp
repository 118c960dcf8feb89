// A part of a record begins with jobs that run and jobs that wait.
#include "cli/whatif/recorded_begin.h"

#include <gtest/gtest.h>

#include "one_at_a_time.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::finished_here;
using testing::kOneAtATime;
using testing::modelled_waits;
using testing::part_of;
using testing::SampleRecord;
using testing::small_day;
using testing::started;
using testing::submitted_here;
using testing::told_again;
using testing::wall;

const Span kFromTen{.from = wall(10s)};

/// The ids of the jobs of the begin, in order.
std::string at_begin(const SampleRecord& sample) {
  std::string ids;
  for (const ScenarioJob& each : part_of(sample, kFromTen).scenario.jobs) {
    if (each.at == Duration{0}) ids += (ids.empty() ? "" : " ") + each.request.id;
  }
  return ids;
}

record::JobChanged moved(std::uint64_t job, const std::string& place, std::uint64_t of = 0) {
  record::JobChanged change{JobId{job}, 1000};
  change.place = place;
  change.of = JobId{of};
  return change;
}

record::JobChanged frozen(std::uint64_t job, bool value) {
  record::JobChanged change{JobId{job}, 1000};
  change.frozen = value;
  return change;
}

record::JobFinished cancelled(std::uint64_t job) {
  return {JobId{job}, "cancelled", "cancel", "", false, 0s, 0s, Bytes{}};
}

/// An old job that waits since 1 s, and two younger ones that run since 3 and 4 s.
SampleRecord overtaken() {
  SampleRecord sample = small_day();
  record::JobStarted costly = started(3);
  costly.cost = Points{25};
  sample.add(1s, submitted_here(1, "old"))
      .add(2s, submitted_here(2, "second"))
      .add(2s, submitted_here(3, "first"))
      .add(3s, costly)
      .add(4s, started(2))
      .add(10s, record::Level{})
      .add(13s, finished_here(3))
      .add(14s, finished_here(2))
      .add(14s, started(1))
      .add(24s, finished_here(1));
  return sample;
}

TEST(RecordedBegin, JobsThatRanComeFirstByTheirStartsWithWhatTheyHeld) {
  EXPECT_EQ(at_begin(overtaken()), "first second old");
  const auto jobs = part_of(overtaken(), kFromTen).scenario.jobs;
  EXPECT_EQ(jobs[0].ran, 7s);
  EXPECT_EQ(jobs[0].holds, Points{25});
  EXPECT_EQ(jobs[0].phases.front().runs, 3s);
  EXPECT_FALSE(jobs[2].ran || jobs[2].holds);
}

TEST(RecordedBegin, AJobThatWaitedIsAsOldAsItWas) {
  const auto jobs = part_of(overtaken(), kFromTen).scenario.jobs;
  EXPECT_EQ(jobs[2].waited, 9s);
  EXPECT_FALSE(jobs[0].waited || jobs[1].waited);
  for (const ScenarioJob& each : part_of(overtaken()).scenario.jobs) EXPECT_FALSE(each.waited);
}

/// Jobs 3 and 4 wait in the queue x, jobs 5 and 6, which are younger, in `default`.
SampleRecord two_queues() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, record::Configured{2000,
                                  Bytes{4ULL << 30},
                                  {std::string(kOneAtATime) + "queues: {default: {}, x: {}}\n"}})
      .add(1s, submitted_here(1, "1"))
      .add(1s, started(1));
  for (std::uint64_t job = 3; job <= 6; ++job) {
    record::JobSubmitted entry = submitted_here(job, std::to_string(job));
    if (job <= 4) entry.queue = {"x"};
    sample.add(std::chrono::seconds(job), entry);
  }
  sample.add(10s, record::Level{}).add(11s, finished_here(1));
  for (std::uint64_t job = 3; job <= 6; ++job) {
    sample.add(std::chrono::seconds(10 * job - 19), started(job));
    sample.add(std::chrono::seconds(10 * job - 9), finished_here(job));
  }
  return sample;
}

TEST(RecordedBegin, JobsThatWaitedInSeveralQueuesStartByTheirAges) {
  const auto waits = modelled_waits(two_queues(), kFromTen);
  ASSERT_EQ(waits.size(), 4U);
  EXPECT_LT(waits.at("3"), waits.at("4"));
  EXPECT_LT(waits.at("4"), waits.at("5"));
  EXPECT_LT(waits.at("5"), waits.at("6"));
}

TEST(RecordedBegin, JobsThatRanRunInTheModelThoughTheWindowHasNoRoomForAll) {
  const auto waits = modelled_waits(overtaken(), kFromTen);
  ASSERT_EQ(waits.size(), 1U) << "the others did not wait";
  EXPECT_GE(waits.at("old"), 4s) << "until both have ended";
  EXPECT_LT(waits.at("old"), 5s);
}

TEST(RecordedBegin, AJobThatStartedAsTheRecordBeganHasNotRunBefore) {
  SampleRecord sample = small_day();
  sample.add(0s, submitted_here(1, "a")).add(0s, started(1)).add(10s, finished_here(1));
  EXPECT_FALSE(part_of(sample).scenario.jobs.front().ran);
}

/// Jobs a to d wait while x runs, and what happens at 5, 6, ... s.
SampleRecord line_of_four(const std::vector<record::Entry>& changes) {
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(9, "x")).add(1s, started(9));
  const std::vector<std::string> ids{"a", "b", "c", "d"};
  for (std::uint64_t job = 1; job <= 4; ++job) sample.add(2s, submitted_here(job, ids[job - 1]));
  Duration at = 5s;
  for (const record::Entry& each : changes) sample.add(at += 100ms, each);
  sample.add(10s, record::Level{}).add(11s, finished_here(9));
  for (std::uint64_t job = 1; job <= 4; ++job) {
    sample.add(std::chrono::seconds(10 * job + 1), started(job));
    sample.add(std::chrono::seconds(10 * job + 11), finished_here(job));
  }
  return sample;
}

TEST(RecordedBegin, JobsThatWaitedStandWhereTheyWereMoved) {
  EXPECT_EQ(at_begin(line_of_four({})), "x a b c d");
  EXPECT_EQ(at_begin(line_of_four({moved(3, "front")})), "x c a b d");
  EXPECT_EQ(at_begin(line_of_four({moved(3, "front"), moved(2, "front")})), "x b c a d");
  EXPECT_EQ(at_begin(line_of_four({moved(1, "back"), moved(2, "after", 1)})), "x c d a b");
  EXPECT_EQ(at_begin(line_of_four({moved(4, "before", 2), moved(4, "front"), moved(4, "back")})),
            "x a b c d");
  EXPECT_TRUE(part_of(line_of_four({moved(3, "front")}), kFromTen).scenario.events.empty());
}

TEST(RecordedBegin, AJobThatWasMovedStartsInItsPlaceAndHasItsAge) {
  const SampleRecord sample = line_of_four({moved(4, "front")});
  const auto waits = modelled_waits(sample, kFromTen);
  ASSERT_EQ(waits.size(), 4U);
  EXPECT_LT(waits.at("d"), waits.at("a"));
  EXPECT_LT(waits.at("b"), waits.at("c"));
  for (const ScenarioJob& each : part_of(sample, kFromTen).scenario.jobs) {
    EXPECT_EQ(each.waited, each.request.id == "x" ? std::nullopt : std::optional<Duration>(8s));
  }
}

TEST(RecordedBegin, AJobBesideOneThatStartedSinceKeepsItsPlace) {
  SampleRecord sample = small_day();
  for (std::uint64_t job = 1; job <= 3; ++job) {
    sample.add(1s, submitted_here(job, std::to_string(job)));
  }
  sample.add(2s, moved(3, "before", 1)).add(3s, started(1)).add(10s, record::Level{});
  for (std::uint64_t job = 1; job <= 3; ++job) {
    if (job > 1) sample.add(std::chrono::seconds(10 * job), started(job));
    sample.add(std::chrono::seconds(10 * job + 9), finished_here(job));
  }
  EXPECT_EQ(at_begin(sample), "1 3 2");
}

TEST(RecordedBegin, AMoveInAnotherQueueIsAmongItsJobs) {
  record::JobChanged other = moved(4, "front");
  other.queue = record::Name{"gate"};
  EXPECT_EQ(at_begin(line_of_four({other, moved(3, "front")})), "x c a b d")
      << "d is alone in its queue, and stays";
}

/// Job x runs. Job b is on record since 4 s, job a was submitted at 2 s and is told again at 5 s.
SampleRecord told_again_late(const record::JobSubmitted& b) {
  record::JobRestated a = told_again(1, "a", 2s);
  a.submitted = submitted_here(1, "a");
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(9, "x"))
      .add(1s, started(9))
      .add(4s, b)
      .add(5s, a)
      .add(5s, record::Restated{3})
      .add(10s, record::Level{})
      .add(11s, finished_here(9));
  sample.add(11s, started(1)).add(21s, finished_here(1));
  return sample.add(21s, started(2)).add(31s, finished_here(2));
}

TEST(RecordedBegin, AJobThatIsToldAgainStandsWhereItCame) {
  EXPECT_EQ(at_begin(told_again_late(submitted_here(2, "b"))), "x a b");
}

TEST(RecordedBegin, AJobComesAfterOneThatIsToldAgainLater) {
  record::JobSubmitted b = submitted_here(2, "b");
  b.after = {JobId{1}};
  const auto jobs = part_of(told_again_late(b), kFromTen).scenario.jobs;
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[2].request.id, "b");
  EXPECT_EQ(jobs[2].after, std::vector<std::string>{"a"});
}

/// Job a fails at 4 s. Job b comes after it at 2 s and is cancelled at 40 s, job c comes after b.
SampleRecord kept_waiting(const std::string& on_failure) {
  record::JobSubmitted second = submitted_here(2, "b"), third = submitted_here(3, "c");
  second.after = {JobId{1}};
  second.on_failure = on_failure;
  third.after = {JobId{2}};
  third.on_failure = "run";
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(2s, second)
      .add(3s, third)
      .add(4s, finished_here(1, "failed"))
      .add(10s, record::Level{})
      .add(12s, frozen(2, false))
      .add(40s, cancelled(2))
      .add(40s, started(3))
      .add(50s, finished_here(3));
  return sample;
}

TEST(RecordedBegin, AJobThatIsHeldDoesNotStartAndIsCancelledAsItWas) {
  const auto waits = modelled_waits(kept_waiting("hold"), kFromTen);
  EXPECT_FALSE(waits.contains("b")) << "nor does a release start it";
  ASSERT_TRUE(waits.contains("c"));
  EXPECT_GE(waits.at("c"), 30s) << "it comes after the held one";
}

TEST(RecordedBegin, AJobThatRunsAfterAFailureDoes) {
  const auto waits = modelled_waits(kept_waiting("run"), kFromTen);
  ASSERT_TRUE(waits.contains("b"));
  EXPECT_LT(waits.at("b"), 1s);
}

TEST(RecordedBegin, AJobThatStartedThoughOneBeforeItHadFailedIsNotHeld) {
  record::JobSubmitted second = submitted_here(2, "b");
  second.after = {JobId{1}};
  second.on_failure = "hold";
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(4s, finished_here(1, "failed"))
      .add(8s, second)
      .add(10s, record::Level{})
      .add(12s, started(2))
      .add(22s, finished_here(2));
  EXPECT_TRUE(modelled_waits(sample, kFromTen).contains("b"));
}

TEST(RecordedBegin, AJobThatComesLaterAfterOneThatHadFailedIsHeldAsItComes) {
  record::JobSubmitted second = submitted_here(2, "b");
  second.after = {JobId{1}};
  second.on_failure = "hold";
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(4s, finished_here(1, "failed"))
      .add(10s, record::Level{})
      .add(12s, second)
      .add(20s, cancelled(2));
  EXPECT_FALSE(modelled_waits(sample, kFromTen).contains("b"));
}

TEST(RecordedBegin, AJobAfterOneThatNeverStartedDoesNotStart) {
  record::JobSubmitted second = submitted_here(2, "b");
  second.after = {JobId{1}};
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "never"))
      .add(2s, second)
      .add(10s, record::Level{})
      .add(20s, cancelled(2));
  EXPECT_FALSE(modelled_waits(sample, kFromTen).contains("b"));
}

/// Job a runs for 1 s, b is frozen from 3 s on, and what happens from 10 s on.
SampleRecord with_a_frozen_job() {
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(2s, submitted_here(2, "b"))
      .add(3s, frozen(2, true))
      .add(10s, record::Level{})
      .add(11s, finished_here(1));
  return sample;
}

TEST(RecordedBegin, AJobThatWasFrozenBeforeWaitsUntilItsRelease) {
  SampleRecord sample = with_a_frozen_job();
  sample.add(30s, frozen(2, false)).add(30s, started(2)).add(40s, finished_here(2));
  EXPECT_EQ(at_begin(sample), "a b");
  EXPECT_EQ(modelled_waits(sample, kFromTen).at("b"), 20s);
}

TEST(RecordedBegin, AJobThatWasFrozenBeforeAndNeverReleasedWaitsUntilItIsCancelled) {
  SampleRecord sample = with_a_frozen_job();
  sample.add(30s, cancelled(2));
  const RecordedScenario recorded = part_of(sample, kFromTen);
  EXPECT_EQ(recorded.left_out, 0U);
  EXPECT_EQ(at_begin(sample), "a b");
  EXPECT_FALSE(modelled_waits(sample, kFromTen).contains("b"));
}

TEST(RecordedBegin, AJobThatStartedWithoutARecordedReleaseIsLeftOutWithItsChanges) {
  SampleRecord sample = with_a_frozen_job();
  record::JobChanged change{JobId{2}};
  change.priority = 3;
  sample.add(20s, change).add(30s, started(2)).add(40s, finished_here(2));
  const RecordedScenario recorded = part_of(sample, kFromTen);
  EXPECT_EQ(recorded.left_out, 1U);
  EXPECT_TRUE(recorded.scenario.events.empty());
}

}  // namespace
}  // namespace sluice::cli
