#include "cli/whatif/recorded_changes.h"

#include <gtest/gtest.h>

#include <utility>

#include "cli/whatif/recorded_request.h"
#include "one_at_a_time.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;
using testing::finished_here;
using testing::modelled_waits;
using testing::part_of;
using testing::SampleRecord;
using testing::small_day;
using testing::started;
using testing::submitted_here;
using testing::wall;

/// Jobs a, b and c, one after the other, and what happens at 5 s.
SampleRecord three_jobs(const std::vector<record::Entry>& at_five_seconds) {
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a")).add(1s, started(1));
  sample.add(2s, submitted_here(2, "b")).add(3s, submitted_here(3, "c"));
  for (const record::Entry& each : at_five_seconds) sample.add(5s, each);
  for (const std::uint64_t job : {1, 2, 3}) {
    if (job > 1) sample.add(std::chrono::seconds(10 * job - 9), started(job));
    sample.add(std::chrono::seconds(10 * job + 1), finished_here(job));
  }
  return sample;
}

TEST(RecordedChanges, AreEventsOfTheScenarioAndAMoveIsOneOfItsOwn) {
  record::JobChanged change{JobId{3}, 1000};
  change.priority = 9;
  change.nice = 4;
  change.locks = {std::pair(record::Name{"node"}, record::Name{"exclusive:n1"})};
  change.place = "before";
  change.of = JobId{2};
  const auto events = part_of(three_jobs({change})).scenario.events;
  ASSERT_EQ(events.size(), 2U);
  for (const ScenarioEvent& each : events) {
    EXPECT_EQ(each.at, 5s);
    EXPECT_EQ(each.what, ScenarioEvent::Do::set);
    EXPECT_EQ(each.job, "c");
  }
  EXPECT_EQ(events[0].priority, 9);
  EXPECT_EQ(events[0].nice, 4);
  ASSERT_TRUE(events[0].locks);
  EXPECT_EQ(to_text(events[0].locks->front()), "exclusive:n1");
  EXPECT_FALSE(events[0].position);
  ASSERT_TRUE(events[1].position);
  EXPECT_EQ(events[1].position->where, JobChange::Position::Where::before);
  EXPECT_EQ(events[1].position->of, "b");
  EXPECT_FALSE(events[1].priority);
}

TEST(RecordedChanges, OfTheTimeBeforeAreInTheRequest) {
  record::JobChanged change{JobId{3}};
  change.priority = 9;
  change.global_lock = true;
  const Scenario scenario = part_of(three_jobs({change}), {.from = wall(8s)}).scenario;
  EXPECT_TRUE(scenario.events.empty());
  ASSERT_EQ(scenario.jobs.size(), 2U) << "a was over";
  EXPECT_EQ(scenario.jobs[1].request.priority, 9);
  EXPECT_TRUE(scenario.jobs[1].request.global_lock);
  EXPECT_FALSE(scenario.jobs[0].request.global_lock);
}

TEST(RecordedChanges, NoJobWaitsForOneThatIsNotThereOrIsMovedBesideIt) {
  record::JobChanged change{JobId{3}};
  change.place = "after";
  change.of = JobId{4};
  SampleRecord sample = three_jobs({submitted_here(4, "never")});
  record::JobSubmitted late = submitted_here(5, "late");
  late.after = {JobId{1}};
  sample.add(12s, late).add(13s, change).add(40s, started(5)).add(50s, finished_here(5));
  const RecordedScenario recorded = part_of(sample, {.from = wall(12s)});
  EXPECT_EQ(recorded.left_out, 1U);
  EXPECT_TRUE(recorded.scenario.events.empty());
  ASSERT_EQ(recorded.scenario.jobs.size(), 3U);
  EXPECT_TRUE(recorded.scenario.jobs.back().after.empty());
  EXPECT_EQ(run_model(recorded.scenario).index(), 0U);
}

TEST(RecordedChanges, HashedNamesAreLeftOut) {
  record::JobChanged change{JobId{3}};
  change.queue = record::Name{"#00000000000000aa"};
  change.locks = {std::pair(record::Name{"#00000000000000bb"}, record::Name{"#00000000000000cc"})};
  EXPECT_TRUE(part_of(three_jobs({change})).scenario.events.empty());
  change.priority = 2;
  const auto events = part_of(three_jobs({change})).scenario.events;
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].priority, 2);
  EXPECT_FALSE(events[0].queue);
  EXPECT_FALSE(events[0].locks);
}

TEST(RecordedChanges, APriorityThatWasSetLetsTheJobStartEarlierInTheModel) {
  const auto unchanged = modelled_waits(three_jobs({}));
  ASSERT_EQ(unchanged.size(), 3U);
  EXPECT_LT(unchanged.at("b"), unchanged.at("c"));
  record::JobChanged change{JobId{3}, 1000};
  change.priority = 9;
  const auto changed = modelled_waits(three_jobs({change}));
  ASSERT_EQ(changed.size(), 3U);
  EXPECT_GT(changed.at("b"), changed.at("c"));
}

/// A build whose first job takes twice as long in the model, on two CPUs, as it did. The job that
/// follows it is changed at 12 s, before it comes in the model; another one waits all the time.
SampleRecord delayed_build(const std::vector<record::Entry>& at_twelve_seconds) {
  const auto of_build = [](std::uint64_t number, const std::string& id) {
    record::JobSubmitted job = submitted_here(number, id);
    job.queue = {"default/make-17"};
    return job;
  };
  record::JobFinished on_four_cores = finished_here(1);
  on_four_cores.cpu = 40s;
  SampleRecord sample = small_day();
  sample.add(1s, of_build(1, "a"))
      .add(1s, started(1))
      .add(2s, of_build(3, "other"))
      .add(11s, on_four_cores)
      .add(11s, of_build(2, "b"));
  for (const record::Entry& each : at_twelve_seconds) sample.add(12s, each);
  sample.add(14s, started(2))
      .add(24s, finished_here(2))
      .add(24s, started(3))
      .add(34s, finished_here(3));
  return sample;
}

TEST(RecordedChanges, OfAJobThatComesLaterInTheModelAreMadeAsItComes) {
  const auto unchanged = modelled_waits(delayed_build({}));
  ASSERT_EQ(unchanged.size(), 3U);
  EXPECT_GE(unchanged.at("b"), 9s) << "behind the other one";
  record::JobChanged change{JobId{2}, 1000};
  change.priority = 9;
  EXPECT_LT(modelled_waits(delayed_build({change})).at("b"), 1s);
  change.priority.reset();
  change.place = "front";
  EXPECT_LT(modelled_waits(delayed_build({change})).at("b"), 1s);
}

TEST(RecordedRequest, HasWhatTheJobAskedFor) {
  record::JobSubmitted facts = submitted_here(1, "a");
  facts.global_lock = true;
  facts.reasons = std::vector{record::Name{"nightly"}, record::Name{"#00000000000000aa"}};
  facts.on_failure = "hold";
  facts.nice = -4;
  const JobRequest request = request_of(facts);
  EXPECT_TRUE(request.global_lock);
  EXPECT_EQ(request.reasons, std::vector<std::string>{"nightly"});
  EXPECT_EQ(request.on_failure, OnFailure::hold);
  EXPECT_EQ(request.nice, -4);
  EXPECT_TRUE(has_hashed_names(facts));
}

TEST(RecordedRequest, OfAJobThatDeclaresNoLocksIsNotOfOneThatDeclaresNothing) {
  record::JobSubmitted facts = submitted_here(1, "a");
  EXPECT_FALSE(request_of(facts).locks);
  facts.declares_locks = true;
  ASSERT_TRUE(request_of(facts).locks);
  EXPECT_TRUE(request_of(facts).locks->empty());
  facts.locks = {std::pair(record::Name{"#00000000000000aa"}, record::Name{"#00000000000000bb"})};
  EXPECT_FALSE(request_of(facts).locks) << "nobody knows which";
}

/// A job that fails, and one that comes after it.
SampleRecord after_a_failure(const std::string& on_failure) {
  record::JobSubmitted second = submitted_here(2, "b");
  second.after = {JobId{1}};
  second.on_failure = on_failure;
  SampleRecord sample = small_day();
  sample.add(1s, submitted_here(1, "a"))
      .add(1s, started(1))
      .add(2s, second)
      .add(11s, finished_here(1, "failed"))
      .add(11s, started(2))
      .add(21s, finished_here(2));
  return sample;
}

TEST(RecordedRequest, WhetherAJobStartsAfterAFailureIsAsItAsked) {
  EXPECT_TRUE(modelled_waits(after_a_failure("run")).contains("b"));
  EXPECT_FALSE(modelled_waits(after_a_failure("cancel")).contains("b"));
  EXPECT_FALSE(modelled_waits(after_a_failure("hold")).contains("b"));
}

TEST(RecordedRequest, OfAnEarlierSluiceHasARemark) {
  EXPECT_TRUE(part_of(after_a_failure("cancel")).remarks.empty());
  const auto remarks = part_of(after_a_failure("")).remarks;
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(remarks[0].starts_with("jobs that an earlier Sluice recorded are without "))
      << remarks[0];
}

}  // namespace
}  // namespace sluice::cli
