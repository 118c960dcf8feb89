// Jobs whose end is not on record, since the daemon was killed or entries are missing.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>
#include <optional>

#include "cli/record/moment.h"
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

}  // namespace
}  // namespace sluice::cli::testing
