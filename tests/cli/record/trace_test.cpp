#include "cli/record/trace.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <boost/json/parse.hpp>
#include <map>
#include <optional>

#include "cli/record/moment.h"
#include "cli/record/other_users.h"
#include "sample_record.h"
#include "status/wall_time.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

json::array events_of(const SampleRecord& sample, record::WallTime from, record::WallTime to) {
  Trace trace;
  sample.tell_part({from, to}, [&](const auto& each, Side side) { trace.add(each, side); });
  return json::parse(trace.json()).at("traceEvents").as_array();
}

/// The events of a phase ("X", "C", "i").
std::vector<json::object> of_phase(const json::array& events, std::string_view phase) {
  std::vector<json::object> found;
  for (const json::value& each : events) {
    if (each.at("ph").as_string() == phase) found.push_back(each.as_object());
  }
  return found;
}

TEST(RecordTrace, ShowsAJobAsItWaitsAndThenAsItRuns) {
  const auto slices = of_phase(events_of(one_job(), wall(0s), wall(1h)), "X");
  ASSERT_EQ(slices.size(), 4U);  // The first belongs to job 16, which waits without a reason.
  EXPECT_EQ(slices[1].at("name").as_string(), "waits: memory");
  EXPECT_EQ(slices[1].at("dur").as_int64(), 170'000'000);
  EXPECT_EQ(slices[2].at("name").as_string(), "waits: window");
  EXPECT_EQ(slices[3].at("name").as_string(), "build-17 g++");
  EXPECT_EQ(slices[3].at("ts").as_int64(), 1767225600'000'000 + 202'000'000);
  EXPECT_NE(slices[0].at("tid"), slices[1].at("tid")) << "jobs that overlap have lanes apart";
  EXPECT_EQ(slices[1].at("tid"), slices[3].at("tid"));
}

/// The slices' borders in microseconds, by lane, in the order of time.
std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> lanes_of(
    const Trace& trace) {
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int64_t>>> lanes;
  for (const json::object& each :
       of_phase(json::parse(trace.json()).at("traceEvents").as_array(), "X")) {
    const std::int64_t from = each.at("ts").as_int64();
    lanes[each.at("tid").as_int64()].emplace_back(from, from + each.at("dur").as_int64());
  }
  for (auto& [lane, slices] : lanes) std::ranges::sort(slices);
  return lanes;
}

void expect_disjoint(const Trace& trace) {
  for (const auto& [lane, slices] : lanes_of(trace)) {
    for (std::size_t at = 1; at < slices.size(); ++at) {
      EXPECT_LE(slices[at - 1].second, slices[at].first) << "lane " << lane << ", slice " << at;
    }
  }
}

TEST(RecordTrace, HasNoSlicesOfALaneThatOverlapThoughEachBlockReadsTheWallClockAnew) {
  Trace trace;
  // Each wall time is off by another part of some microseconds.
  std::int64_t entry = 0;
  one_job().tell([&](const record::Dated& each) {
    const auto off = std::chrono::nanoseconds(++entry * 7'919 % 5'001 - 2'500);
    trace.add({each.at, each.wall + off, each.entry}, Side::within);
  });
  expect_disjoint(trace);
  const auto lanes = lanes_of(trace);
  ASSERT_EQ(lanes.at(2).size(), 3U);
  EXPECT_EQ(lanes.at(2)[0].second, lanes.at(2)[1].first) << "a wait goes on without a gap";
  EXPECT_EQ(lanes.at(2)[1].second, lanes.at(2)[2].first) << "it runs as soon as it waits no more";
}

TEST(RecordTrace, HasNoSlicesOfALaneThatOverlapThoughTheClockWasSetBack) {
  Trace trace;
  one_job().tell([&](const record::Dated& each) {
    const bool is_after = each.at.time_since_epoch() >= 180s;
    trace.add({each.at, each.wall - (is_after ? 100s : 0s), each.entry}, Side::within);
  });
  expect_disjoint(trace);
  EXPECT_EQ(lanes_of(trace).at(2).back().second - lanes_of(trace).at(2).front().first, 287'000'000);
}

/// Where and when a slice is: "queue gate: waits: memory 10-60", in seconds since boot.
std::vector<std::string> places_of(const json::array& events) {
  std::map<std::int64_t, std::string> queues;
  for (const json::object& each : of_phase(events, "M")) {
    queues[each.at("pid").as_int64()] = each.at("args").at("name").as_string();
  }
  std::vector<std::string> places;
  for (const json::object& each : of_phase(events, "X")) {
    const auto from = each.at("ts").as_int64() - 1767225600'000'000;
    const auto to = from + each.at("dur").as_int64();
    places.push_back(queues.at(each.at("pid").as_int64()) + ": " +
                     std::string(each.at("name").as_string()) + " " +
                     std::to_string(from / 1'000'000) + "-" + std::to_string(to / 1'000'000));
  }
  return places;
}

record::JobChanged moved(std::uint64_t job, const char* queue) {
  record::JobChanged change;
  change.job = JobId{job};
  change.queue = record::Name{queue};
  return change;
}

TEST(RecordTrace, ShowsAMovedJobInEachQueueForAsLongAsItWaitedThere) {
  record::JobChanged other;
  other.job = JobId{17};
  other.priority = 5;
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(10s, submitted(17, "build-17"))
      .add(11s, waits(17, "memory", 4))
      .add(30s, other)
      .add(60s, moved(17, "night"))
      .add(100s, waits(17, "window", 1))
      .add(150s, moved(17, "gate"))
      .add(202s, started(17))
      .add(297s, record::JobFinished{JobId{17}, "ok", "finish", "", true, 76s, 95s, Bytes{1}});
  const json::array events = events_of(sample, wall(0s), wall(1h));
  EXPECT_EQ(places_of(events), (std::vector<std::string>{
                                   "queue gate: waits: memory 10-60",
                                   "queue night: waits: memory 60-100",
                                   "queue night: waits: window 100-150",
                                   "queue gate: waits: window 150-202",
                                   "queue gate: build-17 g++ 202-297",
                               }));
  for (const json::object& each : of_phase(events, "X")) {
    EXPECT_EQ(each.at("args").at("job").as_string(), "build-17");
  }
}

TEST(RecordTrace, OfAJobMovedWhereAnotherWaitsHasLanesApartOnlyWhileBothAreThere) {
  SampleRecord sample;
  record::JobSubmitted brief = submitted(18, "brief"), long_one = submitted(19, "long");
  brief.queue = long_one.queue = {"night"};
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(10s, submitted(17, "build-17"))
      .add(20s, brief)
      .add(40s, record::JobFinished{JobId{18}, "cancelled", "cancel", "", false, 0s, 0s, Bytes{}})
      .add(50s, long_one)
      .add(60s, moved(17, "night"))
      .add(90s, record::Level{});
  std::map<std::string, std::int64_t> lanes;
  for (const json::object& each : of_phase(events_of(sample, wall(0s), wall(1h)), "X")) {
    lanes[std::string(each.at("args").at("job").as_string())] = each.at("tid").as_int64();
  }
  EXPECT_EQ(lanes,
            (std::map<std::string, std::int64_t>{{"brief", 1}, {"build-17", 2}, {"long", 1}}));
}

TEST(RecordTrace, ShowsAJobThatWasMovedAsItStartedInItsNewQueue) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(10s, submitted(17, "build-17"))
      .add(60s, moved(17, "night"))
      .add(60s, started(17))
      .add(90s, record::JobFinished{JobId{17}, "ok", "finish", "", true, 76s, 30s, Bytes{1}});
  EXPECT_EQ(
      places_of(events_of(sample, wall(0s), wall(1h))),
      (std::vector<std::string>{"queue gate: waits: ? 10-60", "queue night: build-17 g++ 60-90"}));
}

TEST(RecordTrace, ShowsLevelsAsCounters) {
  SampleRecord sample;
  sample.add(0s, record::SegmentStart{"1.2.3", "boot"})
      .add(1s, record::Level{Points{40}, Points{35}, 2, 3, 990, 10})
      .add(2s, record::Pressures{{{{"load"}, 500}}})
      .add(3s, record::DaemonEvent{"operated", {"paused"}});
  const json::array events = events_of(sample, wall(0s), wall(1h));
  const auto counters = of_phase(events, "C");
  ASSERT_EQ(counters.size(), 4U);
  EXPECT_EQ(counters[0].at("args").at("in use").as_int64(), 35);
  EXPECT_EQ(counters[3].at("name").as_string(), "pressure of load");
  EXPECT_EQ(of_phase(events, "i").at(0).at("name").as_string(), "paused");
}

TEST(RecordTrace, WithoutNamesSaysWhatOperatorsDidButNotToWhom) {
  SampleRecord sample;
  sample.add(1s, record::DaemonEvent{"started", {"1.2.3"}})
      .add(2s, record::DaemonEvent{"operated", {"paused"}})
      .add(3s, record::DaemonEvent{"operated", {"queue night ly paused"}})
      .add(4s, record::DaemonEvent{"operated", {"jobserver make-1 (make): 1 of 2 tokens"}});
  Trace trace;
  sample.tell(
      naming_jobs_of(kNobody, [&](const record::Dated& each) { trace.add(each, Side::within); }));
  std::vector<std::string> marks;
  const auto events = json::parse(trace.json()).at("traceEvents").as_array();
  for (const json::object& each : of_phase(events, "i")) {
    marks.emplace_back(each.at("name").as_string());
  }
  EXPECT_EQ(marks, (std::vector<std::string>{"the daemon: started, 1.2.3", "paused",
                                             "queue (hidden) paused", "jobserver (hidden)"}));
}

TEST(RecordTrace, LeavesOutWhatIsBeforeAndAfterItsSpan) {
  SampleRecord day = one_job();
  day.add(400s, record::Level{});
  EXPECT_EQ(of_phase(events_of(day, wall(0s), wall(10s)), "X").size(), 1U);
  EXPECT_EQ(of_phase(events_of(day, wall(298s), wall(1h)), "X").size(), 1U)
      << "only job 16 reaches into it";
  SampleRecord sample;
  sample.add(1s, record::Level{}).add(10s, record::Level{}).add(20s, record::Level{});
  EXPECT_EQ(of_phase(events_of(sample, wall(5s), wall(15s)), "C").size(), 2U);
}

const record::WallTime kNow = wall(13h);

/// nullopt for what is no time.
std::optional<record::WallTime> time_of(const std::string& text) {
  const auto moment = moment_of(text, kNow);
  const auto* time = std::get_if<record::WallTime>(&moment);
  return time ? std::optional(*time) : std::nullopt;
}

/// Why the text is no time; empty for one.
std::string problem_of(const std::string& text) {
  const auto moment = moment_of(text, kNow);
  const auto* problem = std::get_if<std::string>(&moment);
  return problem ? *problem : "";
}

TEST(Moments, AreReadInAllTheirForms) {
  EXPECT_EQ(time_of("2h"), wall(11h));
  EXPECT_EQ(time_of("0s"), kNow);
  EXPECT_EQ(time_of("2026-01-01T00:05:00Z"), wall(5min));
  EXPECT_EQ(time_of("2026-01-01 00:05Z"), wall(5min));
  EXPECT_EQ(time_of("@1767225900.25"), wall(5min + 250ms));
  // The zone of this machine is not known here, but both speak of it.
  const std::string local = local_time(wall(12h + 5min));
  EXPECT_EQ(time_of(local), wall(12h + 5min));
  EXPECT_EQ(time_of(local.substr(0, 16)), wall(12h + 5min));
  EXPECT_EQ(time_of(local.substr(0, 10) + "T" + local.substr(11)), wall(12h + 5min));
  EXPECT_EQ(time_of(local + ".75"), wall(12h + 5min + 750ms));
  EXPECT_EQ(time_of(local_time(kNow - 1s).substr(11)), kNow - 1s);
  EXPECT_EQ(time_of(local_time(kNow + 1min).substr(11)), kNow + 1min - 24h);
}

TEST(Moments, AsJsonHasThemAreRead) {
  EXPECT_EQ(time_of(rfc3339(wall(5min + 327ms))), wall(5min + 327ms));
}

TEST(Moments, HaveUpToNineDecimalsOfASecond) {
  EXPECT_EQ(time_of("2026-01-01T00:05:00.5Z"), wall(5min + 500ms));
  EXPECT_EQ(time_of("2026-01-01T00:05:00.000000001Z"), wall(5min + 1ns));
  EXPECT_FALSE(time_of("2026-01-01T00:05:00.0000000001Z"));
  EXPECT_FALSE(time_of("2026-01-01T00:05:00.Z"));
}

TEST(Moments, WithAnOffsetFromUtcAreOfThatZone) {
  EXPECT_EQ(time_of("2026-01-01T00:05:00+00:00"), wall(5min));
  EXPECT_EQ(time_of("2026-01-01T02:05:00+02:00"), wall(5min));
  EXPECT_EQ(time_of("2026-01-01 02:05:00.25+02:00"), wall(5min + 250ms));
  EXPECT_EQ(time_of("2025-12-31T20:35:00-03:30"), wall(5min));
  for (const char* offset : {"+2", "+02", "+24:00", "+00:60", "02:00", "+02:00x", "ZZ"}) {
    EXPECT_FALSE(time_of("2026-01-01T02:05:00" + std::string(offset))) << offset;
  }
}

TEST(Moments, OfNoFormAreRefusedWithTheForms) {
  for (const char* text : {"@", "@-1", "@nan", "@1e300", "@1 ", "", "14:05x", "14:05Z", "14",
                           "14:", "14:05:", "yesterday", "2026-01-01", "2026-01-01T", "2026-1",
                           "26-01-01 12:00", "2026-01-01_12:00"}) {
    EXPECT_EQ(problem_of(text),
              "`" + std::string(text) + "` is not a time such as " + kMomentForms);
  }
}

TEST(Moments, ThatDoNotExistAreRefused) {
  for (const char* text :
       {"2026-02-30 12:00", "2026-02-30T12:00:00Z", "2026-02-29 12:00", "2026-13-01 12:00",
        "2026-00-01 12:00", "2026-01-00 12:00", "2026-01-01 24:00", "2026-01-01T12:60:00Z",
        "2026-01-01 12:00:60", "25:00", "14:60"}) {
    EXPECT_EQ(problem_of(text),
              "`" + std::string(text) + "` does not exist: give a time such as " + kMomentForms);
  }
  EXPECT_TRUE(time_of("2024-02-29 12:00"));
  EXPECT_TRUE(problem_of("0001-01-01T00:00:00Z").find("is not of the years 1970 to 2222: ") !=
              std::string::npos);
}

TEST(Moments, ADurationIsNeverAheadOfNow) {
  EXPECT_EQ(problem_of("-5h"),
            std::string("`-5h` is in the future: give a time such as ") + kMomentForms);
}

/// A zone for the time of a test.
class LocalZone {
 public:
  explicit LocalZone(const char* zone) {
    if (const char* before = getenv("TZ")) before_ = before;
    setenv("TZ", zone, 1);
    tzset();
  }
  ~LocalZone() {
    before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  LocalZone(const LocalZone&) = delete;
  LocalZone& operator=(const LocalZone&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST(Moments, ThatAClockPassedOverDoNotExistInLocalTime) {
  // Clocks are set forward at 02:00 of 29 March 2026.
  const LocalZone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(problem_of("2026-03-29 02:30"),
            std::string("`2026-03-29 02:30` does not exist in local time: give a time such as ") +
                kMomentForms);
  EXPECT_EQ(time_of("2026-03-29 03:30"), time_of("2026-03-29T01:30:00Z"));
  const auto day_after = *time_of("2026-03-29T12:00:00Z");
  EXPECT_EQ(std::get<record::WallTime>(moment_of("02:30", day_after)),
            time_of("2026-03-28T01:30:00Z"))
      << "the day before has it";
}

TEST(Moments, ThatADayHasTwiceAreTheLastOne) {
  // Clocks are set back at 03:00 of 25 October 2026, which is 01:00 UTC.
  const LocalZone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  const auto last = [](const char* now) {
    return std::get<record::WallTime>(moment_of("02:30", *time_of(now)));
  };
  EXPECT_EQ(last("2026-10-25T00:45:00Z"), time_of("2026-10-25T00:30:00Z")) << "in summer time";
  EXPECT_EQ(last("2026-10-25T01:45:00Z"), time_of("2026-10-25T01:30:00Z")) << "in winter time";
}

}  // namespace
}  // namespace sluice::cli::testing
