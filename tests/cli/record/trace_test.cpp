#include "cli/record/trace.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <map>

#include "cli/record/moment.h"
#include "sample_record.h"

namespace sluice::cli::testing {
namespace {
namespace json = boost::json;

json::array events_of(const SampleRecord& sample, record::WallTime from, record::WallTime to) {
  Trace trace(from, to);
  sample.tell([&](const record::Dated& each) { trace.add(each); });
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

TEST(Moments, AreReadInAllTheirForms) {
  const record::WallTime now = wall(13h);
  EXPECT_EQ(moment_of("2h", now), wall(11h));
  EXPECT_EQ(moment_of("2026-01-01T00:05:00Z", now), wall(5min));
  EXPECT_EQ(moment_of("@1767225900.25", now), wall(5min + 250ms));
  for (const char* text : {"@", "@-1", "@nan", "@1e300", "@1 ", "", "25:00", "14:05x", "yesterday",
                           "2026-01-01T00:05:00"}) {
    EXPECT_FALSE(moment_of(text, now)) << text;
  }
  // The zone of this machine is not known here, but both speak of it.
  const std::string local = local_time(wall(12h + 5min));
  EXPECT_EQ(moment_of(local, now), wall(12h + 5min));
  EXPECT_EQ(moment_of(local.substr(0, 16), now), wall(12h + 5min));
  EXPECT_EQ(moment_of(local_time(now - 1s).substr(11), now), now - 1s);
  EXPECT_EQ(moment_of(local_time(now + 1min).substr(11), now), now + 1min - 24h);
}

}  // namespace
}  // namespace sluice::cli::testing
