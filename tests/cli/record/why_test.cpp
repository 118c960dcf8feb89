#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "cli/record/sentence.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "sample_record.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& each : lines) text += each + "\n";
  return text;
}

std::string why(const SampleRecord& sample, std::string_view job) {
  const Story story = sample.story();
  const JobStory* found = story.find(job);
  return found ? all_of(why_lines(*found, story)) : "";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(WhyJob, SaysHowLongItWaitedForWhatWithTheNumbers) {
  const std::string text = why(one_job(), "17");
  EXPECT_TRUE(has(text, "job 17 (build-17) was submitted at ")) << text;
  EXPECT_TRUE(has(text, "It waited 3 min 12 s:")) << text;
  EXPECT_TRUE(has(text, "2 min 50 s  needs 1240 MiB of memory, 381 MiB of 7629 MiB free")) << text;
  EXPECT_TRUE(has(text, "22.0 s  needs 10 points, 5 of 40 points are free; place 1")) << text;
  EXPECT_TRUE(has(text,
                  "with 10 points; then 30 of 40 were in use, and 1.0 GiB of memory were "
                  "kept for it."))
      << text;
  EXPECT_TRUE(has(text,
                  "It ended ok (finish): 1 min 35 s, 1 min 00 s expected; 0.80 cores, 1.50 "
                  "expected; at most 256.0 MiB of memory, 512.0 MiB expected at "))
      << text;
}

TEST(WhyJob, FindsItByTheIdOfTheClientToo) {
  EXPECT_EQ(why(one_job(), "build-17"), why(one_job(), "17"));
  EXPECT_EQ(why(one_job(), "18"), "");
}

TEST(WhyJob, ANumberThatWasGivenAgainMeansTheLast) {
  SampleRecord sample = one_job();
  sample.add(400s, submitted(17, "later"));
  EXPECT_TRUE(has(why(sample, "17"), "job 17 (later)"));
  EXPECT_TRUE(has(why(sample, "build-17"), "job 17 (build-17)"));
}

TEST(WhyJob, AReasonThatComesBackIsSummedUp) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, submitted(1, ""))
      .add(1s, waits(1, "memory", 1))
      .add(10s, waits(1, "window", 1))
      .add(15s, waits(1, "memory", 1))
      .add(60s, started(1));
  EXPECT_TRUE(has(why(sample, "1"), "In total: 55.0 s for memory, 5.0 s for window."))
      << why(sample, "1");
}

TEST(WhyJob, SaysWhereTheRecordEnds) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, submitted(1, "a"))
      .add(1s, submitted(2, "b"))
      .add(1s, started(1))
      .add(2s, waits(2, "behind", 1))
      .add(30s, record::Level{});
  EXPECT_TRUE(has(why(sample, "1"), "it still runs."));
  EXPECT_TRUE(has(why(sample, "2"), "It waits, so far 29.0 s:\n")) << why(sample, "2");
  EXPECT_TRUE(has(why(sample, "2"), "it still waits."));
}

TEST(WhyJob, ATimeWithoutAReasonIsSaid) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(0s, submitted(1, "a"))
      .add(20s, waits(1, "memory", 1))
      .add(30s, started(1));
  EXPECT_TRUE(has(why(sample, "1"), "20.0 s  no reason is on record")) << why(sample, "1");
}

TEST(WhyJob, AcrossARebootTheWallClockCounts) {
  SampleRecord sample;
  sample.add(1000s, record::SegmentStart{"1.2.3", "boot"}).add(1000s, submitted(1, "a"));
  Story story = sample.story();
  const record::Entry reboot = record::SegmentStart{"1.2.3", "boot-2"}, start = started(1);
  story.add({TimePoint(5s), wall(1060s), reboot});
  story.add({TimePoint(10s), wall(1065s), start});
  EXPECT_TRUE(has(all_of(why_lines(*story.find("1"), story)), "It waited 1 min 05 s:"));
}

TEST(WhyJob, IsThereInJson) {
  const Story story = one_job().story();
  const json::object job = json::parse(why_json(*story.find("17"), story)).as_object();
  EXPECT_EQ(job.at("id").as_string(), "build-17");
  EXPECT_EQ(job.at("submitted").as_string(), "2026-01-01T00:00:10.000Z");
  const json::array& phases = job.at("waits").as_array();
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].at("code").as_string(), "memory");
  EXPECT_EQ(phases[0].at("seconds").to_number<double>(), 170);
  EXPECT_EQ(phases[1].at("cost").as_int64(), 10);
  EXPECT_EQ(phases[1].at("usage").as_int64(), 35);
  EXPECT_EQ(phases[1].at("window").as_int64(), 40);
  EXPECT_EQ(job.at("started").at("window").as_int64(), 40);
  EXPECT_EQ(job.at("finished").at("outcome").as_string(), "ok");
}

SampleRecord busy_moment() {
  SampleRecord sample = one_job();
  sample.add(300s, submitted(20, "deploy"))
      .add(301s, started(20))
      .add(302s,
           record::WindowChanged{
               Points{60}, Points{40}, "red", {"load"}, {"load1 is 9"}, 990, 100, 3})
      .add(302s, record::SensorVerdict{{"load"}, true, true, false, {"load1 is 9"}})
      .add(303s, submitted(21, "late"))
      .add(304s, waits(21, "sensor", 1))
      .add(305s, record::Level{Points{40}, Points{35}, 1, 1, 990, 100});
  return sample;
}

TEST(WhyMoment, SaysOfWhenTheLastEntryIsIfThatIsLongBefore) {
  const Story story = busy_moment().story();
  EXPECT_FALSE(has(all_of(moment_lines(story, wall(315s))), "The last entry before that"));
  EXPECT_TRUE(has(all_of(moment_lines(story, wall(316s))), "The last entry before that is of "));
  EXPECT_TRUE(has(moment_json(story, wall(1h)), "\"last_entry\":\"2026-01-01T00:05:05.000Z\""));
}

TEST(WhyMoment, ShowsWindowSensorsAndJobsWithTheirReasons) {
  const Story story = busy_moment().story();
  const std::string text = all_of(moment_lines(story, wall(311s)));
  EXPECT_TRUE(has(text, ": 35 of 40 points were in use, the CPUs were 99 % busy.")) << text;
  EXPECT_TRUE(has(text, "cut 60 -> 40 points by load: load1 is 9")) << text;
  EXPECT_TRUE(has(text, "red      sensor load is red: load1 is 9")) << text;
  EXPECT_TRUE(has(text, "running  1\n  deploy  g++")) << text;
  EXPECT_TRUE(has(text, "for 10.0 s")) << text;
  EXPECT_TRUE(has(text, "waiting  2\n  late  g++")) << text;
  EXPECT_TRUE(has(text, "sensor sensor is red")) << text;
}

TEST(WhyMoment, IsThereInJson) {
  const json::object moment =
      json::parse(moment_json(busy_moment().story(), wall(311s))).as_object();
  EXPECT_EQ(moment.at("window").as_int64(), 40);
  EXPECT_EQ(moment.at("red").as_array().size(), 1U);
  EXPECT_EQ(moment.at("running").as_array().at(0).at("id").as_string(), "deploy");
  EXPECT_EQ(moment.at("waiting").as_array().at(0).at("code").as_string(), "sensor");
}

TEST(RecordSentences, EveryEntryIsASentence) {
  const record::Entry gap = record::Gap{17, TimePoint(1s), TimePoint(3s), "overrun"};
  EXPECT_EQ(sentence_of(gap, {}), "17 entries of 2.0 s missing: overrun");
  EXPECT_EQ(sentence_of(submitted(17, "a"), {}), "job 17 is submitted to gate, key g++: 10 points");
  EXPECT_EQ(sentence_of(started(17), {}),
            "job 17 starts: 10 points, then 30 of 40 in use, 1.0 GiB of memory kept for it");
  EXPECT_EQ(sentence_of(record::DaemonEvent{"operated", {"paused"}}, {}), "paused");
  EXPECT_EQ(sentence_of(record::Pressures{{{{"load"}, 1130}}}, {}), "pressures: load 1.13");
}

}  // namespace
}  // namespace sluice::cli::testing
