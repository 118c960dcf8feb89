#include "metrics/prometheus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "page.h"
#include "snapshot.h"

namespace sluice {
namespace {

Page page_of(const Status& status) { return parse_page(prometheus_text(status, busy_facts())); }

TEST(Prometheus, WritesTheWholeSnapshot) {
  auto actual = lines_of(prometheus_text(busy_status(), busy_facts()));
  auto expected = lines_of(read_whole(SLUICE_SOURCE "/tests/metrics/busy.prom"));
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_FALSE(expected.empty());
  EXPECT_EQ(actual, expected);
}

TEST(Prometheus, CountsBranchesForTheirQueueSinceClientsNameThem) {
  Status status = busy_status();
  QueueStatus branch = status.queues[0];
  branch.name = "default/make-17";
  branch.branch_of = "default";
  status.queues[0].running = 2;
  branch.running = 3;
  branch.pending = 4;
  branch.ended = 50;
  status.queues.push_back(branch);
  branch.name = "default/ninja-18";
  status.queues.push_back(branch);
  const std::string text = prometheus_text(status, busy_facts());
  EXPECT_NE(text.find("sluice_jobs_running{queue=\"default\"} 8\n"), std::string::npos);
  EXPECT_NE(text.find("sluice_queue_branches 2\n"), std::string::npos);
  for (const std::string of : {"running\"} 6", "pending\"} 8", "ended\"} 100"}) {
    const std::string jobs = "sluice_queue_branch_jobs{queue=\"default\",state=\"" + of + "\n";
    EXPECT_NE(text.find(jobs), std::string::npos) << jobs;
  }
  EXPECT_EQ(text.find("make-17"), std::string::npos);
}

TEST(Prometheus, WritesTheSamePageForTheSameSnapshot) {
  EXPECT_EQ(prometheus_text(busy_status(), busy_facts()),
            prometheus_text(busy_status(), busy_facts()));
}

TEST(Prometheus, EscapesLabelValues) {
  Status status = idle_status();
  status.sensors = {green_sensor("disk", {{"a\"b\\c\nd\xFF", 1, {}, {}, Unit::bytes, 0}})};
  status.sensors[0].reading->source = "/mnt/\"x\\";
  const Page page = page_of(status);
  EXPECT_TRUE(
      page.has(R"(sluice_sensor_reading_bytes{sensor="disk",condition="a\"b\\c\nd\\xff"})"));
  EXPECT_TRUE(page.has(R"(sluice_sensor_source_info{sensor="disk",source="/mnt/\"x\\"})"));
}

TEST(Prometheus, HistogramBucketsAreCumulativeAndEndAtTheCount) {
  const Status status = busy_status();
  const Page page = page_of(status);
  const auto bucket = [&](const std::string& le) {
    return page.samples.at("sluice_admission_wait_seconds_bucket{le=\"" + le + "\"}");
  };
  const std::pair<const char*, double> expected[] = {
      {"0.005", 10}, {"0.05", 15}, {"0.25", 15}, {"1", 23},    {"5", 23},   {"15", 23},
      {"60", 27},    {"180", 27},  {"600", 27},  {"1800", 30}, {"+Inf", 31}};
  for (const auto& [le, count] : expected) EXPECT_EQ(bucket(le), count) << le;
  EXPECT_EQ(page.samples.at("sluice_admission_wait_seconds_count"), 31);
  EXPECT_EQ(page.samples.at("sluice_admission_wait_seconds_sum"), 7000.25);
}

TEST(Prometheus, EveryChildExistsBeforeAnythingHappened) {
  const Page idle = page_of(idle_status());
  for (const auto& [sample, value] : page_of(busy_status()).samples) {
    if (sample.starts_with("sluice_sensor_")) continue;
    EXPECT_TRUE(idle.has(sample)) << sample;
  }
  EXPECT_EQ(idle.samples.at("sluice_jobs_released_total{outcome=\"oom\"}"), 0);
  EXPECT_EQ(idle.samples.at("sluice_queue_head_wait_seconds{queue=\"default\"}"), 0);
}

TEST(Prometheus, NothingLimitsMeansNoLimitAndNotZero) {
  Status status = idle_status();
  const double inf = std::numeric_limits<double>::infinity();
  status.sensors = {
      green_sensor("pids", {{"a", 5, {}, {}, Unit::count, 0}, {"b", 5, inf, inf, Unit::count, 0}})};
  const Page page = page_of(status);
  EXPECT_EQ(page.samples.at("sluice_sensor_reading{sensor=\"pids\",condition=\"a\"}"), 5);
  EXPECT_FALSE(page.types.contains("sluice_sensor_limit"));
  EXPECT_FALSE(page.types.contains("sluice_sensor_capacity"));
}

TEST(Prometheus, LeavesOutWhatIsNoNumber) {
  Status status = idle_status();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  status.counters.wait.sum = nan;
  status.sensors = {green_sensor("odd", {{"a", nan, nan, nan, Unit::ratio, nan}})};
  ServiceFacts facts = busy_facts();
  facts.cpu_seconds = nan;
  std::string text = prometheus_text(status, facts);
  std::transform(text.begin(), text.end(), text.begin(), ::tolower);
  EXPECT_EQ(text.find(" nan"), std::string::npos);
}

TEST(Prometheus, LeavesOutAReadingThatIsNotFresh) {
  Status status = busy_status();
  status.sensors[0].fresh = status.sensors[0].up = false;
  const Page page = page_of(status);
  EXPECT_FALSE(page.has("sluice_sensor_pressure_ratio{sensor=\"load\"}"));
  EXPECT_FALSE(page.has("sluice_sensor_reading{sensor=\"load\",condition=\"load1\"}"));
  EXPECT_EQ(page.samples.at("sluice_sensor_up{sensor=\"load\"}"), 0);
  EXPECT_EQ(page.samples.at("sluice_sensor_fresh{sensor=\"load\"}"), 0);
  EXPECT_TRUE(page.has("sluice_sensor_last_read_timestamp_seconds{sensor=\"load\"}"));
}

TEST(Prometheus, NeverWritesASampleTwice) {
  Status status = busy_status();
  status.sensors.push_back(green_sensor(
      "load", {{"load1", 9, 9, 9, Unit::count, 1}, {"load1", 8, 8, 8, Unit::count, 1}}));
  const Page page = page_of(status);
  EXPECT_TRUE(page.repeated.empty()) << page.repeated.front();
  EXPECT_EQ(page.samples.at("sluice_sensor_reading{sensor=\"load\",condition=\"load1\"}"), 2.25);
}

TEST(Prometheus, NamesWhatKeepsTheFirstInLine) {
  Status status = busy_status();
  for (std::size_t i = 0; i < kRefusalCodes; ++i) {
    const auto code = static_cast<RefusalCode>(i);
    status.limiting->code = code;
    double sum = 0;
    const Page page = page_of(status);
    for (const auto& [sample, value] : page.samples) {
      if (sample.starts_with("sluice_admission_limited{")) sum += value;
    }
    EXPECT_EQ(sum, 1);
    EXPECT_EQ(
        page.samples.at("sluice_admission_limited{by=\"" + std::string(to_string(code)) + "\"}"),
        1);
  }
}

TEST(Prometheus, EachQueueSaysWhatItsFirstJobWaitsFor) {
  const Page page = page_of(busy_status());
  EXPECT_EQ(page.samples.at(R"(sluice_queue_limited{queue="default",by="sensor"})"), 1);
  EXPECT_EQ(page.samples.at(R"(sluice_queue_limited{queue="nightly",by="queue_paused"})"), 1);
  EXPECT_EQ(page.samples.at(R"(sluice_queue_limited{queue="nightly",by="sensor"})"), 0);
  EXPECT_EQ(page.samples.at(R"(sluice_queue_head_wait_seconds{queue="nightly"})"), 2.25);
  EXPECT_EQ(page.samples.at(R"(sluice_queue_paused{queue="nightly"})"), 1);
}

TEST(Prometheus, JobsOfAllQueuesAddUp) {
  const Status status = busy_status();
  const Page page = page_of(status);
  const auto sum = [&](const std::string& name) {
    return page.samples.at(name + R"({queue="default"})") +
           page.samples.at(name + R"({queue="nightly"})");
  };
  EXPECT_EQ(sum("sluice_jobs_running"), static_cast<double>(status.running));
  EXPECT_EQ(sum("sluice_jobs_pending"), static_cast<double>(status.pending));
  EXPECT_EQ(sum("sluice_pending_cost"), static_cast<double>(status.pending_cost.value));
  EXPECT_EQ(page.samples.at("sluice_jobs_admitted_total") -
                page.samples.at(R"(sluice_jobs_released_total{outcome="ok"})") -
                page.samples.at(R"(sluice_jobs_released_total{outcome="failed"})") -
                page.samples.at(R"(sluice_jobs_released_total{outcome="oom"})") -
                page.samples.at(R"(sluice_jobs_released_total{outcome="cancelled"})"),
            sum("sluice_jobs_running"));
}

TEST(Prometheus, AHighlanderHasNoCapacity) {
  const Page page = page_of(busy_status());
  EXPECT_EQ(page.samples.at(R"(sluice_resource_capacity{resource="db"})"), 4);
  EXPECT_FALSE(page.has(R"(sluice_resource_capacity{resource="solo"})"));
  EXPECT_EQ(page.samples.at(R"(sluice_resource_used{resource="solo"})"), 1);
  EXPECT_TRUE(page.has(R"(sluice_resource_info{resource="solo",kind="highlander"})"));
}

TEST(Prometheus, ThresholdBelongsToAdaptiveOnly) {
  Status status = busy_status();
  status.law = Law::rfc;
  status.threshold.reset();
  const Page page = page_of(status);
  EXPECT_FALSE(page.types.contains("sluice_window_threshold"));
  EXPECT_TRUE(page.has("sluice_window_law_info{law=\"rfc\"}"));
}

TEST(Prometheus, HelpIsOneLineOfPlainTextForEveryFamily) {
  const Page page = page_of(busy_status());
  for (const auto& [name, type] : page.types) {
    ASSERT_TRUE(page.helps.contains(name)) << name;
    EXPECT_FALSE(page.helps.at(name).empty()) << name;
    EXPECT_EQ(page.helps.at(name).find('\\'), std::string::npos) << name;
  }
}

void advance(Counters& counted, std::mt19937_64& random) {
  const auto grow = [&](std::uint64_t& count) { count += random() % 3; };
  grow(counted.submitted), grow(counted.admitted), grow(counted.cancelled);
  grow(counted.registrations);
  for (auto* array : {&counted.rejected, &counted.deregistrations}) {
    for (std::uint64_t& each : *array) grow(each);
  }
  for (auto* array : {&counted.window_increases, &counted.window_decreases}) {
    for (std::uint64_t& each : *array) grow(each);
  }
  for (std::uint64_t& each : counted.finished) grow(each);
  for (std::uint64_t& each : counted.wait.counts) grow(each);
  for (std::uint64_t& each : counted.duration.counts) grow(each);
}

bool is_counted(const std::string& sample) {
  const std::string name = sample.substr(0, sample.find('{'));
  return name.ends_with("_total") || name.ends_with("_bucket") || name.ends_with("_count");
}

TEST(Prometheus, CountersNeverFallFromSnapshotToSnapshot) {
  std::mt19937_64 random(20260801);
  Status status = busy_status();
  ServiceFacts facts = busy_facts();
  Page before = parse_page(prometheus_text(status, facts));
  double grown = 0;
  for (int round = 0; round < 200; ++round) {
    advance(status.counters, random);
    for (SensorStatus& sensor : status.sensors) {
      sensor.failures += random() % 2;
      sensor.up = sensor.fresh = random() % 2 == 0;
    }
    for (ClientRequests& each : facts.client_requests) each.count += random() % 2;
    const Page after = parse_page(prometheus_text(status, facts));
    for (const auto& [sample, value] : before.samples) {
      if (!is_counted(sample)) continue;
      ASSERT_TRUE(after.has(sample)) << sample;
      ASSERT_GE(after.samples.at(sample), value) << sample;
      grown += after.samples.at(sample) - value;
    }
    before = after;
  }
  EXPECT_GT(grown, 10000);
}

}  // namespace
}  // namespace sluice
