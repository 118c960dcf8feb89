// Jobs whose end is not on record, since the daemon was killed or entries are missing.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>
#include <optional>

#include "cli/record/moment.h"
#include "cli/record/other_users.h"
#include "cli/record/surroundings.h"
#include "cli/record/trace.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "sample_record.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

std::string last_line(const SampleRecord& sample, std::string_view job) {
  const Story story = sample.story();
  return why_lines(*story.find(job), story).back();
}

bool is_lost(const SampleRecord& sample, std::string_view job) {
  return last_line(sample, job).starts_with("Its end is not on record: ");
}

json::object json_of_moment(const SampleRecord& sample) {
  Surroundings around(wall(1h));
  sample.tell([&](const record::Dated& each) { around.add(each, Side::before); });
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  return json::parse(moment_json(sample.story(), around, {}, {}, kAll)).as_object();
}

/// Job 1 runs and job 2 waits, and the last that is said of them is of 10 s.
SampleRecord two_jobs() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(1, "runs"))
      .add(1s, started(1))
      .add(2s, submitted(2, "waits"))
      .add(2s, waits(2, "window", 1))
      .add(10s, record::Level{});
  return sample;
}

record::JobFinished ended(std::uint64_t job) {
  record::JobFinished end;
  end.job = JobId{job};
  end.outcome = "unknown";
  end.ended_by = "process";
  return end;
}

/// The next daemon, which has found another job to have ended.
SampleRecord restarted(std::optional<std::vector<JobId>> jobs) {
  SampleRecord sample = two_jobs();
  sample.add(60s, record::SegmentStart{"1.2.3", "boot"})
      .add(59s, ended(9))
      .add(59s, record::DaemonEvent{"started", {"1.2.3"}, std::move(jobs)})
      .add(61s, record::Level{});
  return sample;
}

record::Gap gap() { return {17, TimePoint(11s), TimePoint(40s), "No space left on device"}; }

TEST(BrokenOff, AJobThatTheNextDaemonHasNotTakenOverRanWhenTheRecordBrokeOff) {
  const SampleRecord sample = restarted(std::vector<JobId>{});
  const std::string end = " when the record broke off at " + local_time(wall(10s)) + ".";
  EXPECT_EQ(last_line(sample, "1"), "Its end is not on record: it ran" + end);
  EXPECT_EQ(last_line(sample, "2"), "Its end is not on record: it waited" + end);
}

TEST(BrokenOff, AJobThatItHasTakenOverStillRuns) {
  const SampleRecord sample = restarted(std::vector{JobId{1}});
  EXPECT_TRUE(last_line(sample, "1").ends_with("it still runs."));
  EXPECT_TRUE(is_lost(sample, "2"));
}

TEST(BrokenOff, WhereADaemonDoesNotSayWhichJobsItTookOverNoEndIsKnown) {
  const SampleRecord sample = restarted(std::nullopt);
  EXPECT_TRUE(is_lost(sample, "1"));
  EXPECT_TRUE(is_lost(sample, "2"));
}

TEST(BrokenOff, AfterAGapAJobIsUnknownUntilItIsNamedAgain) {
  SampleRecord sample = two_jobs();
  sample.add(40s, record::SegmentStart{"1.2.3", "boot"}).add(40s, gap());
  EXPECT_TRUE(is_lost(sample, "1"));
  EXPECT_TRUE(is_lost(sample, "2"));
  sample.add(41s, started(2)).add(50s, ended(1));
  EXPECT_FALSE(is_lost(sample, "1"));
  EXPECT_TRUE(last_line(sample, "2").ends_with("it still runs."));
}

TEST(BrokenOff, AJobThatEndedBeforeHasEnded) {
  SampleRecord sample = one_job();
  sample.add(400s, gap());
  EXPECT_FALSE(is_lost(sample, "17"));
}

/// A daemon that closes the connections on which jobs 1 and 2 hang, and stops.
SampleRecord stopped() {
  SampleRecord sample = two_jobs();
  sample.add(20s, record::DaemonEvent{"stopping", {"SIGTERM"}});
  for (const std::uint64_t job : {1, 2}) {
    record::JobFinished end = ended(job);
    end.outcome = "cancelled";
    end.ended_by = "connection";
    sample.add(20s, end);
  }
  return sample;
}

SampleRecord restarted_after_stop(std::optional<std::vector<JobId>> jobs) {
  SampleRecord sample = stopped();
  sample.add(30s, record::SegmentStart{"1.2.3", "boot"})
      .add(30s, record::DaemonEvent{"started", {"1.2.3"}, std::move(jobs)});
  return sample;
}

TEST(BrokenOff, AJobThatTheNextDaemonTakesBackHasNotEndedAtTheStop) {
  const auto expect_both_live = [](const SampleRecord& sample) {
    const json::object moment = json_of_moment(sample);
    EXPECT_EQ(moment.at("jobs").at("running"), 1);
    EXPECT_EQ(moment.at("jobs").at("waiting"), 1);
    EXPECT_EQ(moment.at("jobs").at("unknown"), 0);
    EXPECT_EQ(moment.at("jobs").at("unnamed"), 0);
    EXPECT_EQ(sample.story().jobs().size(), 2U);
    EXPECT_TRUE(last_line(sample, "1").ends_with("it still runs."));
    EXPECT_TRUE(last_line(sample, "2").ends_with("it still waits."));
  };
  expect_both_live(restarted_after_stop(std::vector{JobId{1}, JobId{2}}));
  SampleRecord told = restarted_after_stop(std::nullopt);
  told.add(31s, told_again(1, "runs", 1s, 1s)).add(31s, told_again(2, "waits", 2s));
  expect_both_live(told.add(31s, record::Restated{2}));
}

TEST(BrokenOff, AJobThatTheNextDaemonStartsHasNotEndedAtTheStop) {
  SampleRecord sample = restarted_after_stop(std::nullopt);
  sample.add(32s, started(2));
  EXPECT_TRUE(last_line(sample, "2").ends_with("it still runs."));
  EXPECT_EQ(sample.story().find("2")->start->when.at, TimePoint(32s));
  EXPECT_TRUE(sample.story().find("1")->end) << "which nobody named again";
  EXPECT_FALSE(is_lost(sample.add(40s, gap()), "1"));
  EXPECT_TRUE(is_lost(sample, "2")) << "it is open, so a gap may hide its end";
}

TEST(BrokenOff, AJobTakenBackThatThenEndsHasEndedThen) {
  SampleRecord sample = restarted_after_stop(std::vector{JobId{1}, JobId{2}});
  sample.add(40s, ended(1));
  EXPECT_EQ(sample.story().find("1")->end->when.at, TimePoint(40s));
  EXPECT_EQ(json_of_moment(sample).at("jobs").at("running"), 0);
}

TEST(BrokenOff, AJobThatFinishedIsNotTakenBackByItsNumber) {
  SampleRecord sample = two_jobs();
  sample.add(20s, ended(1));
  sample.add(30s, record::SegmentStart{"1.2.3", "boot"})
      .add(30s, record::DaemonEvent{"started", {"1.2.3"}, std::vector{JobId{1}}});
  EXPECT_TRUE(sample.story().find("1")->end);
}

TEST(BrokenOff, AReaderThatFreesMemoryKeepsTheJobsThatTheNextDaemonMayTakeBack) {
  Story story;
  stopped().tell([&](const record::Dated& each) { story.add(each); });
  story.drop_ended();
  ASSERT_EQ(story.jobs().size(), 2U);
  SampleRecord next;
  next.add(30s, record::DaemonEvent{"started", {"1.2.3"}, std::vector{JobId{1}}});
  next.tell([&](const record::Dated& each) { story.add(each); });
  EXPECT_TRUE(story.find("runs")->ran_at_end());
  story.drop_ended();
  EXPECT_EQ(story.jobs().size(), 1U);
}

TEST(BrokenOff, AReaderThatFreesMemoryKnowsWhichJobsAreOver) {
  Story story;
  restarted(std::vector<JobId>{}).tell([&](const record::Dated& each) { story.add(each); });
  story.drop_ended();
  SampleRecord next;
  next.add(100s, record::Restated{0, 2});
  next.tell([&](const record::Dated& each) { story.add(each); });
  EXPECT_EQ(story.unnamed(), 2U);
}

TEST(BrokenOff, TheTraceOfAJobTakenBackGoesOn) {
  Trace trace;
  restarted_after_stop(std::vector{JobId{1}}).tell([&](const record::Dated& each) {
    trace.add(each, Side::within);
  });
  const std::string slice = R"("dur":29000000,"args":{"job":"runs","detail":"still runs"})";
  EXPECT_NE(trace.json().find(slice), std::string::npos) << trace.json();
}

TEST(BrokenOff, TheTimeOfAWaitEndsWithTheRecord) {
  const SampleRecord sample = restarted(std::vector<JobId>{});
  const Story story = sample.story();
  EXPECT_EQ(phases_of(*story.find("2"), *story.last()).back().lasted, 8s);
  const auto job = json::parse(why_json(*story.find("2"), story)).as_object();
  EXPECT_EQ(job.at("record_broke_off").as_string(), "2026-01-01T00:00:10.000Z");
}

TEST(BrokenOff, AMomentListsSuchJobsApart) {
  const json::object moment = json_of_moment(restarted(std::vector{JobId{2}}));
  EXPECT_TRUE(moment.at("running").as_array().empty());
  EXPECT_EQ(moment.at("waiting").as_array().size(), 1U);
  EXPECT_EQ(moment.at("jobs").at("unknown"), 1);
  EXPECT_EQ(moment.at("unknown").at(0).at("id"), "runs");
  EXPECT_EQ(moment.at("unknown").at(0).at("since"), "2026-01-01T00:00:10.000Z");
  std::string text;
  const Story story = restarted(std::vector{JobId{2}}).story();
  for (const std::string& each : moment_lines(story, wall(1h), 20)) text += each + "\n";
  EXPECT_NE(text.find("running  0\n"), text.npos) << text;
  EXPECT_NE(text.find("unknown  1\n  runs"), text.npos) << text;
}

TEST(BrokenOff, TheTraceEndsItsSliceThere) {
  Trace trace;
  restarted(std::vector<JobId>{}).tell([&](const record::Dated& each) {
    trace.add(each, Side::within);
  });
  const std::string slice =
      R"("dur":9000000,"args":{"job":"runs","detail":"its end is not on record"})";
  EXPECT_NE(trace.json().find(slice), std::string::npos) << trace.json();
}

/// The first entries are gone: job 1 has run since 5 s, job 2 has waited since 6 s.
SampleRecord told_again_at_100s() {
  SampleRecord sample;
  sample.add(99s, record::SegmentStart{"1.2.3", "boot"})
      .add(100s, told_again(1, "runs", 4s, 5s))
      .add(100s, told_again(2, "waits", 6s))
      .add(100s, record::Restated{2, 0, {{{"load"}, true, true, false, {"load1 is 9"}}}})
      .add(100s, waits(2, "window", 1))
      .add(110s, record::Level{});
  return sample;
}

TEST(BrokenOff, AJobToldAgainKeepsTheTimesOfItsSubmissionAndItsStart) {
  const json::object moment = json_of_moment(told_again_at_100s());
  EXPECT_EQ(moment.at("running").at(0).at("id"), "runs");
  EXPECT_EQ(moment.at("running").at(0).at("cost"), 10);
  EXPECT_EQ(moment.at("running").at(0).at("since"), "2026-01-01T00:00:05.000Z");
  EXPECT_EQ(moment.at("waiting").at(0).at("since"), "2026-01-01T00:00:06.000Z");
  EXPECT_EQ(moment.at("waiting").at(0).at("code"), "window");
  EXPECT_EQ(moment.at("jobs").at("unknown"), 0);
  EXPECT_EQ(moment.at("jobs").at("unnamed"), 0);
  EXPECT_EQ(moment.at("red").at(0).at("message"), "load1 is 9");

  const Story story = told_again_at_100s().story();
  const auto job = json::parse(why_json(*story.find("runs"), story)).as_object();
  EXPECT_EQ(job.at("submitted"), "2026-01-01T00:00:04.000Z");
  EXPECT_EQ(job.at("restated"), "2026-01-01T00:01:40.000Z");
  EXPECT_EQ(job.at("started").at("at"), "2026-01-01T00:00:05.000Z");
  EXPECT_EQ(job.at("started").at("cost"), 10);
  EXPECT_TRUE(job.at("started").at("usage").is_null());
  EXPECT_TRUE(job.at("started").at("window").is_null());
  const std::vector<std::string> lines = why_lines(*story.find("runs"), story);
  EXPECT_EQ(lines.at(1), "The record has it only as it was at " + local_time(wall(100s)) + ".");
  for (const std::string& each : lines) EXPECT_EQ(each.find("were in use"), each.npos) << each;
}

TEST(BrokenOff, AJobToldAgainIsTheSameJob) {
  SampleRecord sample = two_jobs();
  auto again = told_again(2, "waits", 2s);
  again.submitted.queue = {"another"};
  sample.add(20s, record::SegmentStart{"1.2.3", "boot"}).add(20s, gap());
  sample.add(41s, told_again(1, "runs", 1s, 1s)).add(41s, again).add(41s, record::Restated{2});
  const Story story = sample.story();
  ASSERT_EQ(story.jobs().size(), 2U);
  EXPECT_FALSE(is_lost(sample, "1"));
  EXPECT_FALSE(is_lost(sample, "2"));
  EXPECT_EQ(story.find("2")->queue(), "gate") << "as it was submitted";
  EXPECT_FALSE(story.find("2")->restated);
  EXPECT_EQ(story.find("1")->start->facts.usage, Points{30}) << "that of its start";
}

TEST(BrokenOff, AJobToldAgainWhoseNumberAnEarlierOneHadIsAnother) {
  SampleRecord sample = one_job();
  sample.add(600s, told_again(17, "later", 500s, 510s));
  const Story story = sample.story();
  EXPECT_EQ(story.jobs().size(), 3U);
  EXPECT_TRUE(story.find("later")->ran_at_end());
  EXPECT_TRUE(story.find("build-17")->end);
}

TEST(BrokenOff, AJobThatAnotherTakesTheNumberOfIsOver) {
  // The wall clock was set during the boot, so the time of the submission is another.
  SampleRecord sample = restarted(std::vector{JobId{1}});
  sample.add(200s, told_again(1, "runs", 190s, 195s)).add(200s, record::Restated{1});
  const json::object moment = json_of_moment(sample);
  EXPECT_EQ(moment.at("jobs").at("running"), 1);
  EXPECT_EQ(moment.at("running").at(0).at("since"), "2026-01-01T00:03:15.000Z");
  EXPECT_EQ(moment.at("jobs").at("unknown"), 2);
}

TEST(BrokenOff, AMomentCountsNoJobTwiceAfterAGap) {
  SampleRecord sample = two_jobs();
  sample.add(12s, submitted(3, "more")).add(20s, record::SegmentStart{"1.2.3", "boot"});
  sample.add(20s, gap()).add(41s, told_again(1, "runs", 1s, 1s)).add(41s, record::Restated{1, 2});
  json::object jobs = json_of_moment(sample).at("jobs").as_object();
  EXPECT_EQ(jobs.at("running"), 1);
  EXPECT_EQ(jobs.at("unknown"), 2);
  EXPECT_EQ(jobs.at("unnamed"), 0);
  sample.add(42s, waits(2, "window", 1));
  jobs = json_of_moment(sample).at("jobs").as_object();
  EXPECT_EQ(jobs.at("waiting"), 1);
  EXPECT_EQ(jobs.at("unknown"), 1);
  EXPECT_EQ(jobs.at("unnamed"), 0);
}

TEST(BrokenOff, AMomentCountsTheJobsThatTheDaemonCouldNotTellAgain) {
  SampleRecord sample;
  sample.add(99s, record::SegmentStart{"1.2.3", "boot"})
      .add(100s, told_again(1, "runs", 4s, 5s))
      .add(100s, record::Restated{1, 3, {}});
  EXPECT_EQ(json_of_moment(sample).at("jobs").at("unnamed"), 3);
  std::string text;
  for (const std::string& each : moment_lines(sample.story(), wall(1h), 20)) text += each + "\n";
  EXPECT_NE(text.find("unnamed  3, which the daemon had no room to tell again\n"), text.npos);
  sample.add(101s, started(2)).add(102s, submitted(9, "new"));
  EXPECT_EQ(json_of_moment(sample).at("jobs").at("unnamed"), 2);
  EXPECT_EQ(
      json_of_moment(two_jobs().add(100s, record::Restated{1, 1, {}})).at("jobs").at("unnamed"), 0)
      << "the record has both";
}

TEST(BrokenOff, JobsThatACompleteListDoesNotNameAreNoneOfThoseLeftOutLater) {
  const auto expect_unnamed = [](SampleRecord sample) {
    sample.add(100s, told_again(3, "more", 90s)).add(100s, record::Restated{1, 2});
    json::object jobs = json_of_moment(sample).at("jobs").as_object();
    EXPECT_EQ(jobs.at("unknown"), 2) << "they stay so";
    EXPECT_EQ(jobs.at("unnamed"), 2);
    sample.add(101s, started(2));
    jobs = json_of_moment(sample).at("jobs").as_object();
    EXPECT_EQ(jobs.at("unknown"), 1) << "the list was damaged: one lives after all";
    EXPECT_EQ(jobs.at("unnamed"), 1);
  };
  expect_unnamed(restarted(std::vector<JobId>{}));
  SampleRecord told = two_jobs();
  told.add(40s, record::SegmentStart{"1.2.3", "boot"}).add(40s, gap());
  expect_unnamed(told.add(41s, record::Restated{0}));
}

TEST(BrokenOff, AListWithMissingEntriesIsNotComplete) {
  SampleRecord sample = two_jobs();
  sample.add(40s, record::SegmentStart{"1.2.3", "boot"}).add(40s, gap());
  sample.add(41s, told_again(1, "runs", 1s, 1s)).add(41s, record::Restated{2});
  sample.add(100s, told_again(1, "runs", 1s, 1s)).add(100s, record::Restated{1, 1});
  EXPECT_EQ(json_of_moment(sample).at("jobs").at("unnamed"), 0) << "job 2 may be the other one";
}

TEST(BrokenOff, OfAJobWhoseSubmissionIsNotOnRecordNothingIsMadeUp) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(16, "build-16"))
      .add(2s, waits(18, "window", 1));
  const Story story = sample.story();
  EXPECT_EQ(why_lines(*story.find("18"), story).front(),
            "job 18: its submission is not on record, so its points are unknown.");
  const auto job = json::parse(why_json(*story.find("18"), story)).as_object();
  for (const char* name : {"id", "key", "queue", "user", "priority", "cost", "submitted"}) {
    EXPECT_TRUE(job.at(name).is_null()) << name;
  }
  const json::object moment = json_of_moment(sample);
  for (const char* name : {"id", "key", "queue", "cost", "since"}) {
    EXPECT_TRUE(moment.at("waiting").at(0).at(name).is_null()) << name;
  }
  std::string text;
  for (const std::string& each : moment_lines(story, wall(1h), 20)) text += each + "\n";
  EXPECT_NE(text.find("     unknown  needs 10 points"), text.npos) << text;
  EXPECT_EQ(text.find("0 points  needs"), text.npos) << text;

  sample.add(3s, started(18));
  const Story later = sample.story();
  EXPECT_EQ(why_lines(*later.find("18"), later).front(),
            "job 18: its submission is not on record.");
  EXPECT_EQ(json::parse(why_json(*later.find("18"), later)).at("cost"), 10);
}

TEST(BrokenOff, WhoMayNotReadNamesDoesNotReadThoseThatAreToldAgain) {
  const SampleRecord sample = told_again_at_100s();
  Story story;
  sample.tell(naming_jobs_of(kNobody, [&](const record::Dated& each) { story.add(each); }));
  ASSERT_TRUE(story.find("1"));
  EXPECT_FALSE(story.find("runs"));
  EXPECT_EQ(story.find("1")->facts.key.text, "");
  EXPECT_EQ(story.find("1")->cost(), Points{10});
  Story own;
  sample.tell(naming_jobs_of("1000", [&](const record::Dated& each) { own.add(each); }));
  EXPECT_TRUE(own.find("runs"));
}

}  // namespace
}  // namespace sluice::cli::testing
