#include "cli/record/why.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <limits>

#include "../../record/record_folder.h"
#include "cli/record/other_users.h"
#include "cli/record/sentence.h"
#include "cli/record/why_job.h"
#include "cli/record/why_moment.h"
#include "cli/settings/config_from.h"
#include "record/segment_writer.h"
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
  EXPECT_TRUE(has(text, "2 min 50 s  needs 1.2 GiB of memory, 381.5 MiB of 7.5 GiB free")) << text;
  EXPECT_TRUE(has(text, "22.0 s  needs 10 points, 5 of 40 points are free; place 1")) << text;
  EXPECT_TRUE(has(text,
                  "with 10 points; then 30 of 40 were in use, and 1.0 GiB of memory was "
                  "kept for it (by runs of its key)."))
      << text;
  EXPECT_TRUE(has(text,
                  " it ended ok: 1 min 35 s, 1 min 00 s expected; 0.80 cores, 1.50 "
                  "expected; at most 256.0 MiB of memory, 512.0 MiB expected.\n"))
      << text;
}

TEST(WhyJob, SaysWhatToldTheMemoryThatWasKept) {
  const auto kept_by = [](const std::string& rung) {
    record::JobStarted start = started(17);
    start.rung = rung;
    const std::string text =
        why(SampleRecord().add(0s, submitted(17, "build-17")).add(1s, start), "17");
    const std::size_t from = text.find("kept for it");
    return text.substr(from, text.find('\n', from) - from);
  };
  EXPECT_EQ(kept_by("declared"), "kept for it (as it declared).");
  EXPECT_EQ(kept_by("program"), "kept for it (by runs of its program).");
  EXPECT_EQ(kept_by("everything"), "kept for it (by runs of all jobs).");
  EXPECT_EQ(kept_by("prior"), "kept for it (nothing is known of it).");
  EXPECT_EQ(kept_by(""), "kept for it.") << "a record of an earlier Sluice";
}

TEST(WhyJob, FindsItByTheIdOfTheClientToo) {
  EXPECT_EQ(why(one_job(), "build-17"), why(one_job(), "17"));
  EXPECT_EQ(why(one_job(), "18"), "");
}

TEST(WhyJob, OfThisMomentIsFoundOnceTheDaemonHasWrittenIt) {
  const record::testing::Folder state;
  auto opened = record::RecordFolder::open_to_write(state.path("record"));
  record::SegmentWriter daemon(std::move(std::get<record::RecordFolder>(opened)), {}, {});
  RecordQuery query;
  query.place.state_dir = state.path("");
  query.job = "build-17";
  std::vector<Duration> pauses;
  const auto wait = [&](Duration pause) { pauses.push_back(pause); };
  EXPECT_EQ(cli::why(query, wait), 2);
  const auto write = [&](Duration pause) {
    wait(pause);
    daemon.append({{TimePoint(1s), submitted(17, "build-17")}}, {TimePoint(1s), wall(1s)});
  };
  EXPECT_EQ(cli::why(query, write), 0);
  EXPECT_EQ(pauses, (std::vector<Duration>{1s, 1s}));
  EXPECT_EQ(cli::why(query, wait), 0);
  EXPECT_EQ(pauses.size(), 2U);
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

SampleRecord without_reason(Duration wait) {
  SampleRecord sample;
  return sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(1, "a"))
      .add(1s + wait, started(1));
}

/// Of job 1.
std::size_t waits_in_json(const SampleRecord& sample) {
  const Story story = sample.story();
  return json::parse(why_json(*story.find("1"), story)).at("waits").as_array().size();
}

TEST(WhyJob, AJobThatStartedAtOnceDidNotWait) {
  for (const Duration wait : {Duration(0s), Duration(50ms)}) {
    const std::string text = why(without_reason(wait), "1");
    EXPECT_TRUE(has(text, "\nIt did not wait.\nIt started at ")) << text;
    EXPECT_FALSE(has(text, "no reason")) << text;
  }
  EXPECT_EQ(waits_in_json(without_reason(50ms)), 0U);
  EXPECT_EQ(waits_in_json(without_reason(60ms)), 1U);
  const std::string short_wait = why(without_reason(60ms), "1");
  EXPECT_TRUE(has(short_wait, "It waited 0.1 s:")) << short_wait;
  EXPECT_TRUE(has(short_wait, "no reason is on record")) << short_wait;
}

TEST(WhyJob, AWaitIsToldHoweverShortIfItHasAReasonOrGoesOn) {
  SampleRecord sample = without_reason(20ms);
  sample.add(2s, submitted(2, "b")).add(2s, waits(2, "memory", 1)).add(2s + 10ms, started(2));
  EXPECT_TRUE(has(why(sample, "2"), "It waited 0.0 s:\n")) << why(sample, "2");
  sample.add(3s, submitted(3, "c"));
  EXPECT_TRUE(has(why(sample, "3"), "It waits, so far 0.0 s:\n")) << why(sample, "3");
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
  EXPECT_EQ(phases[1].at("ahead").as_int64(), 16);
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

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// The moment as `why --at` prints it in JSON.
json::object shown_at(const SampleRecord& sample, record::WallTime at, std::size_t most = kAll,
                      const std::string& names_of = "") {
  Story story;
  Surroundings around(at);
  Occurrences found(at, 1);
  sample.tell(naming_jobs_of(names_of, [&](const record::Dated& each) {
    around.add(each, found.add(each) ? Side::before : Side::after);
    if (found.count() == 0) story.add(each);
  }));
  return json::parse(moment_json(story, around, {}, {"segment 3: it is cut"}, most)).as_object();
}

TEST(WhyMoment, SaysOfWhenTheLastEntryIsIfThatIsLongBefore) {
  const Story story = busy_moment().story();
  EXPECT_FALSE(has(all_of(moment_lines(story, wall(315s), kAll)), "The last entry before that"));
  EXPECT_TRUE(
      has(all_of(moment_lines(story, wall(316s), kAll)), "The last entry before that is of "));
  EXPECT_EQ(shown_at(busy_moment(), wall(1h)).at("last_entry"), "2026-01-01T00:05:05.000Z");
}

TEST(WhyMoment, ShowsWindowSensorsAndJobsWithTheirReasons) {
  const Story story = busy_moment().story();
  const std::string text = all_of(moment_lines(story, wall(311s), kAll));
  EXPECT_TRUE(has(text, ": 35 of 40 points were in use, the CPUs were 99% busy.")) << text;
  EXPECT_TRUE(has(text, "cut 60 -> 40 points by load: load1 is 9")) << text;
  EXPECT_TRUE(has(text, "red      sensor load is red: load1 is 9")) << text;
  EXPECT_TRUE(has(text, "running  1\n  deploy  g++")) << text;
  EXPECT_TRUE(has(text, "for 10.0 s")) << text;
  EXPECT_TRUE(has(text, "waiting  2\n  late  g++")) << text;
  EXPECT_TRUE(has(text, "sensor sensor is red")) << text;
}

TEST(WhyMoment, IsThereInJson) {
  const json::object moment = shown_at(busy_moment(), wall(311s));
  EXPECT_EQ(moment.at("window"), 40);
  EXPECT_EQ(moment.at("busy"), 0.99);
  EXPECT_EQ(moment.at("red").at(0).at("sensor"), "load");
  EXPECT_EQ(moment.at("red").at(0).at("message"), "load1 is 9");
  EXPECT_EQ(moment.at("last_change").at("at"), "2026-01-01T00:05:02.000Z");
  EXPECT_EQ(moment.at("running").at(0).at("id"), "deploy");
  EXPECT_EQ(moment.at("running").at(0).at("since"), "2026-01-01T00:05:01.000Z");
  EXPECT_EQ(moment.at("waiting").at(0).at("code"), "sensor");
  EXPECT_EQ(moment.at("waiting").at(0).at("since"), "2026-01-01T00:05:03.000Z");
  EXPECT_EQ(moment.at("record").at("problems").at(0), "segment 3: it is cut");
}

record::WindowChanged change(std::int64_t from, std::int64_t to) {
  record::WindowChanged change;
  change.from = Points{from};
  change.to = Points{to};
  change.cause = "red";
  change.sensor.text = "load";
  return change;
}

SampleRecord three_changes() {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"});
  for (const auto& [at, from, to] : {std::tuple{10s, 40, 20}, {20s, 20, 30}, {30s, 30, 15}}) {
    sample.add(at + 400us, change(from, to));
  }
  return sample.add(40s, record::Level{});
}

TEST(WhyMoment, AChangeOfTheWindowCountsBeforeTheNextLevelIsRecorded) {
  SampleRecord sample = busy_moment();
  record::WindowChanged cut;
  cut.from = Points{40};
  cut.to = Points{25};
  EXPECT_EQ(shown_at(sample.add(306s, cut), wall(306s)).at("window"), 25);
}

TEST(WhyMoment, TheSensorThatCutTheWindowIsRed) {
  const json::object moment = shown_at(three_changes(), wall(30s));
  ASSERT_EQ(moment.at("red").as_array().size(), 1U);
  EXPECT_EQ(moment.at("red").at(0).at("sensor"), "load");
}

TEST(WhyMoment, JobsThatHaveRunLongestAreFirst) {
  SampleRecord sample = busy_moment();
  sample.add(306s, submitted(22, "slow to start")).add(307s, submitted(23, "starts at once"));
  sample.add(307s, started(23)).add(308s, started(22));
  const json::array running = shown_at(sample, wall(311s)).at("running").as_array();
  ASSERT_EQ(running.size(), 3U);
  EXPECT_EQ(running[1].at("id"), "starts at once");
  EXPECT_EQ(running[2].at("id"), "slow to start");
}

TEST(WhyMoment, ListsNoMoreJobsThanAskedForAndCountsAll) {
  const json::object moment = shown_at(busy_moment(), wall(311s), 1);
  EXPECT_EQ(moment.at("waiting").as_array().size(), 1U);
  EXPECT_EQ(moment.at("jobs").at("waiting"), 2);
}

TEST(WhyMoment, KnowsTheSpanOfTheRecordAndTheChangesAround) {
  const json::object around = shown_at(three_changes(), wall(20s)).at("record").as_object();
  EXPECT_EQ(around.at("from"), "2026-01-01T00:00:00.000Z");
  EXPECT_EQ(around.at("to"), "2026-01-01T00:00:40.000Z");
  EXPECT_EQ(around.at("previous_change"), "2026-01-01T00:00:10.000Z");
  EXPECT_EQ(around.at("next_change"), "2026-01-01T00:00:30.000Z");
  ASSERT_EQ(around.at("cuts").as_array().size(), 2U) << "the second change made it larger";
  EXPECT_EQ(around.at("cuts").at(1).at("at"), "2026-01-01T00:00:30.000Z");
  EXPECT_EQ(around.at("cuts").at(1).at("to"), 15);
  EXPECT_EQ(around.at("cuts").at(1).at("message"), "cut 30 -> 15 points by load");
}

TEST(WhyMoment, AtThePrintedTimeOfAChangeItHasHappened) {
  const json::object moment = shown_at(three_changes(), wall(30s));
  EXPECT_EQ(moment.at("last_change").at("message"), "cut 30 -> 15 points by load");
  EXPECT_EQ(moment.at("record").at("previous_change"), "2026-01-01T00:00:20.000Z");
  EXPECT_TRUE(moment.at("record").at("next_change").is_null());
}

TEST(WhyMoment, HasTheNearestCutsOnBothSides) {
  SampleRecord sample;
  for (int second = 1; second <= 100; ++second) {
    sample.add(std::chrono::seconds(second), change(second + 1, second));
  }
  const json::object moment = shown_at(sample, wall(50s));
  const json::array& cuts = moment.at("record").at("cuts").as_array();
  ASSERT_EQ(cuts.size(), 2 * Surroundings::kCuts);
  EXPECT_EQ(cuts.front().at("to"), 26);
  EXPECT_EQ(cuts.back().at("to"), 75);
}

TEST(WhyMoment, ADaemonThatStartsKnowsNoSensorOfTheOneBefore) {
  SampleRecord sample = busy_moment();
  sample.add(306s, record::Pressures{{{{"load"}, 1130}}});
  EXPECT_EQ(shown_at(sample, wall(306s)).at("pressures").at("load"), 1.13);
  sample.add(400s, record::DaemonEvent{"started", {"1.2.3"}});
  const json::object moment = shown_at(sample, wall(400s));
  EXPECT_TRUE(moment.at("pressures").as_object().empty());
  EXPECT_TRUE(moment.at("red").as_array().empty());
}

TEST(WhyMoment, JobsThatHaveEndedCanBeForgotten) {
  Story story = busy_moment().story();
  const std::string before = all_of(moment_lines(story, wall(311s), kAll));
  story.drop_ended();
  EXPECT_EQ(all_of(moment_lines(story, wall(311s), kAll)), before);
  EXPECT_EQ(story.find("17"), nullptr);
  ASSERT_NE(story.find("late"), nullptr);
  EXPECT_EQ(story.find("late")->number, JobId{21});
}

TEST(OtherUsers, HaveJobsByNumberAlone) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, submitted(1, "mine"))
      .add(2s, waits(1, "resource", 1));
  auto other = submitted(2, "theirs");
  other.user = 1001;
  sample.add(3s, other).add(4s, waits(2, "resource", 2));
  const auto waiting = [&](const std::string& user) {
    return json::value(shown_at(sample, wall(10s), kAll, user).at("waiting"));
  };
  EXPECT_EQ(waiting("").at(1).at("id"), "theirs");
  const json::value seen = waiting("1000");
  EXPECT_EQ(seen.at(0).at("id"), "mine");
  EXPECT_EQ(seen.at(0).at("key"), "g++");
  EXPECT_EQ(seen.at(1).at("job"), 2);
  EXPECT_EQ(seen.at(1).at("id"), "");
  EXPECT_EQ(seen.at(1).at("key"), "");
  EXPECT_EQ(seen.at(1).at("queue"), "");
  EXPECT_EQ(seen.at(1).at("cost"), 10);
  EXPECT_TRUE(has(std::string(seen.at(1).at("message").as_string()), " of (hidden), ")) << seen;
  EXPECT_EQ(waiting(kNobody).at(0).at("id"), "");
  EXPECT_THROW(naming_jobs_of("root", [](const auto&) {}), std::runtime_error);
}

TEST(RecordSentences, EveryEntryIsASentence) {
  const record::Entry gap = record::Gap{17, TimePoint(1s), TimePoint(3s), "overrun"};
  EXPECT_EQ(sentence_of(gap, {}), "17 entries of 2.0 s missing: overrun");
  EXPECT_EQ(sentence_of(submitted(17, "a"), {}), "job 17 is submitted to gate, key g++: 10 points");
  EXPECT_EQ(sentence_of(started(17), {}),
            "job 17 starts: 10 points, then 30 of 40 in use, 1.0 GiB of memory kept for it");
  EXPECT_EQ(sentence_of(record::DaemonEvent{"operated", {"paused"}}, {}), "paused");
  record::Level level{Points{40}, Points{35}, 2, 3, {}, {}};
  EXPECT_EQ(sentence_of(level, {}), "35 of 40 points in use, 2 run, 3 wait");
  level.busy = 990;
  level.waiting = 180;
  EXPECT_EQ(sentence_of(level, {}),
            "35 of 40 points in use, 2 run, 3 wait; 99% busy, 0.18 tasks wait for each CPU");
  EXPECT_EQ(sentence_of(record::Configured{2000, Bytes{1 << 30}, {"#0123456789abcdef"}}, {}),
            "the configuration is hashed, the machine 2.00 CPUs and 1.0 GiB of memory");
  EXPECT_EQ(sentence_of(record::Pressures{{{{"load"}, 1130}}}, {}), "pressures: load 1.13");
}

}  // namespace
}  // namespace sluice::cli::testing
