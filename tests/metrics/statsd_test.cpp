#include "metrics/statsd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "metrics/statsd_lines.h"
#include "page.h"
#include "snapshot.h"

namespace sluice {
namespace {

std::vector<std::string> lines_sent(const Status& now, const Status& previous,
                                    const StatsdOptions& options = {}) {
  std::vector<std::string> lines;
  for (const std::string& datagram : statsd_datagrams(now, previous, options, "ci-1.example.org")) {
    for (std::string& line : lines_of(datagram)) lines.push_back(std::move(line));
  }
  return lines;
}

bool contains(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

TEST(Statsd, SendsTheStateAsGauges) {
  const auto lines = lines_sent(busy_status(), Status{});
  for (const char* line : {"sluice.window_size:40|g",
                           "sluice.window_usage:35|g",
                           "sluice.window_limit.min:10|g",
                           "sluice.window_limit.max:200|g",
                           "sluice.window_threshold:30|g",
                           "sluice.jobs_running:3|g",
                           "sluice.jobs_starting:1|g",
                           "sluice.jobs_pending:4|g",
                           "sluice.pending_cost:60|g",
                           "sluice.queue_head_cost:15|g",
                           "sluice.queue_head_wait_seconds:12.5|g",
                           "sluice.registered:0|g",
                           "sluice.paused:0|g",
                           "sluice.draining:0|g",
                           "sluice.admission_limited.sensor:1|g",
                           "sluice.admission_limited.window:0|g",
                           "sluice.queue.default.jobs_running:2|g",
                           "sluice.queue.default.jobs_pending:3|g",
                           "sluice.queue.default.pending_cost:45|g",
                           "sluice.queue.default.jobs_held:1|g",
                           "sluice.queue.default.held_cost:20|g",
                           "sluice.queue.default.head_cost:15|g",
                           "sluice.queue.default.head_wait_seconds:12.5|g",
                           "sluice.queue.default.paused:0|g",
                           "sluice.queue.nightly.paused:1|g",
                           "sluice.queue.nightly.limited.queue_paused:1|g",
                           "sluice.queue.nightly.limited.window:0|g",
                           "sluice.resource.db.capacity:4|g",
                           "sluice.resource.db.used:3|g",
                           "sluice.resource.db.waiting_jobs:2|g",
                           "sluice.resource.solo.used:1|g",
                           "sluice.sensor.memory.ok:0|g",
                           "sluice.sensor.load.ok:1|g",
                           "sluice.sensor.cgroup.up:0|g",
                           "sluice.sensor.load.pressure_ratio:0.45|g",
                           "sluice.sensor.load.condition.load1.reading:2.25|g",
                           "sluice.sensor.load.condition.load1.limit:5|g",
                           "sluice.sensor.disk.condition._var_inodes.reading:900000|g"}) {
    EXPECT_TRUE(contains(lines, line)) << line;
  }
}

TEST(Statsd, SendsCountersAsWhatWasAdded) {
  Status previous = busy_status();
  Status now = previous;
  now.counters.admitted += 2;
  now.counters.finished[static_cast<std::size_t>(Outcome::failed)] += 1;
  now.sensors[3].failures += 4;
  const auto lines = lines_sent(now, previous);
  for (const char* line :
       {"sluice.jobs_admitted:2|c", "sluice.jobs_submitted:0|c", "sluice.jobs_released.failed:1|c",
        "sluice.jobs_released.ok:0|c", "sluice.sensor.cgroup.read_errors:4|c",
        "sluice.window_changes.increase.slow_start:0|c"}) {
    EXPECT_TRUE(contains(lines, line)) << line;
  }
}

TEST(Statsd, SumOfAllFlushesIsTheCount) {
  std::uint64_t sum = 0;
  Status previous;
  for (int admitted : {0, 3, 3, 10, 11}) {
    Status now = previous;
    now.counters.admitted = admitted;
    for (const std::string& line : lines_sent(now, previous)) {
      if (line.starts_with("sluice.jobs_admitted:")) sum += std::stoull(line.substr(21));
    }
    previous = now;
  }
  EXPECT_EQ(sum, 11u);
}

TEST(Statsd, CountsFromZeroAgainWhenTheGovernorBeganAnew) {
  Status previous = busy_status();
  Status now = idle_status();
  now.counters.admitted = 4;
  EXPECT_TRUE(contains(lines_sent(now, previous), "sluice.jobs_admitted:4|c"));
}

TEST(Statsd, NegativeGaugeIsSetFromZero) {
  StatsdLines lines("b.");
  lines.gauge("x", -5.25);
  const auto datagrams = std::move(lines).take_datagrams();
  ASSERT_EQ(datagrams.size(), 1u);
  EXPECT_EQ(datagrams[0], "b.x:0|g\nb.x:-5.25|g");
}

TEST(Statsd, NegativeGaugeAndItsZeroShareADatagram) {
  StatsdLines lines("");
  for (int i = 0; i < 1000; ++i) lines.gauge("g" + std::to_string(i), -1.0 - i);
  for (const std::string& datagram : std::move(lines).take_datagrams()) {
    EXPECT_EQ(lines_of(datagram).size() % 2, 0u);
  }
}

TEST(Statsd, WritesNumbersWithoutExponentAndOnlyNumbers) {
  const std::pair<double, const char*> cases[] = {{0, "0"},
                                                  {-0.0, "0"},
                                                  {1e-9, "0"},
                                                  {-1e-9, "0"},
                                                  {0.1, "0.1"},
                                                  {1234567, "1234567"},
                                                  {100, "100"},
                                                  {1e15, "1000000000000000"},
                                                  {2.0 / 3, "0.666667"}};
  for (const auto& [value, text] : cases) {
    StatsdLines lines("");
    lines.gauge("x", value);
    EXPECT_EQ(std::move(lines).take_datagrams(), std::vector{"x:" + std::string(text) + "|g"});
  }
  StatsdLines lines("");
  lines.gauge("x", std::numeric_limits<double>::quiet_NaN());
  lines.gauge("x", -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::move(lines).take_datagrams().empty());
}

TEST(Statsd, TakesTheLargestNumberThereIs) {
  StatsdLines lines("");
  lines.gauge("x", -std::numeric_limits<double>::max());
  const auto datagrams = std::move(lines).take_datagrams();
  ASSERT_EQ(datagrams.size(), 1u);
  EXPECT_TRUE(datagrams[0].starts_with("x:0|g\nx:-17976931348623157"));
}

TEST(Statsd, ReplacesWhatWouldSeparateNamesOrValues) {
  EXPECT_EQ(statsd_part("a.b:c|d@e#f/g h\n\xFF-_Z9"), "a_b_c_d_e_f_g_h__-_Z9");
}

TEST(Statsd, PrefixMayNameTheHost) {
  EXPECT_EQ(statsd_prefix("", "h"), "");
  EXPECT_EQ(statsd_prefix("ci", "h"), "ci.");
  EXPECT_EQ(statsd_prefix("ci.build.", "h"), "ci.build.");
  EXPECT_EQ(statsd_prefix("ci.{host}", "a.b:1"), "ci.a_b_1.");
  EXPECT_EQ(statsd_prefix("c:i|{hos}", "h"), "c_i__hos_.");
  StatsdOptions options;
  options.prefix = "ci.{host}";
  EXPECT_TRUE(contains(lines_sent(busy_status(), Status{}, options),
                       "ci.ci-1_example_org.sluice.window_size:40|g"));
}

Status with_many_sensors() {
  Status status = busy_status();
  for (int i = 0; i < 200; ++i) {
    status.sensors.push_back(
        green_sensor("sensor_" + std::to_string(i),
                     {{"/mnt/volume-" + std::to_string(i), -1.0 * i, 100, 200, Unit::bytes, 0.5}}));
  }
  return status;
}

TEST(Statsd, PacksManyLinesIntoDatagramsOfBoundedSize) {
  const auto datagrams = statsd_datagrams(with_many_sensors(), Status{}, {}, "host");
  std::set<std::string> seen;
  std::size_t bytes = 0;
  for (const std::string& datagram : datagrams) {
    EXPECT_LE(datagram.size(), kMostStatsdBytes);
    EXPECT_FALSE(datagram.empty());
    EXPECT_NE(datagram.back(), '\n');
    bytes += datagram.size() + 1;
    for (const std::string& line : lines_of(datagram)) seen.insert(line.substr(0, line.find(':')));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string name = "sluice.sensor.sensor_" + std::to_string(i);
    EXPECT_TRUE(seen.contains(name + ".ok")) << name;
    EXPECT_TRUE(seen.contains(name + ".pressure_ratio")) << name;
  }
  EXPECT_LE(datagrams.size(), bytes / (kMostStatsdBytes - 150) + 1) << "packed too loosely";
}

TEST(Statsd, FillsADatagramToTheLastByteAndNotBeyond) {
  for (const std::size_t spare : {0u, 1u}) {
    StatsdLines lines("");
    const std::string rest = ":1|g";
    lines.gauge(std::string(700, 'a'), 1.0);
    lines.gauge(std::string(kMostStatsdBytes - 701 - 2 * rest.size() + spare, 'b'), 1.0);
    EXPECT_EQ(std::move(lines).take_datagrams().size(), 1 + spare);
  }
}

TEST(Statsd, LeavesOutALineThatFitsNoDatagram) {
  Status status = idle_status();
  status.sensors = {green_sensor("disk", {{std::string(2000, 'x'), 1, 2, 3, Unit::bytes, 0.5}})};
  const auto datagrams = statsd_datagrams(status, Status{}, {}, "host");
  for (const std::string& datagram : datagrams) EXPECT_LE(datagram.size(), kMostStatsdBytes);
  EXPECT_TRUE(contains(lines_sent(status, Status{}), "sluice.sensor.disk.ok:1|g"));
}

TEST(Statsd, SaysNothingOfAReadingThatIsNotFresh) {
  Status status = busy_status();
  status.sensors[0].fresh = false;
  for (const std::string& line : lines_sent(status, Status{})) {
    EXPECT_FALSE(line.starts_with("sluice.sensor.load.pressure")) << line;
    EXPECT_FALSE(line.starts_with("sluice.sensor.load.condition")) << line;
  }
}

}  // namespace
}  // namespace sluice
