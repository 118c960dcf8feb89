#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "metrics/statsd.h"
#include "page.h"
#include "snapshot.h"

namespace sluice {
namespace {

const std::string kBase = "zuul.executor.ci-1_example_org_8080.";

std::vector<std::string> zuul_lines(const Status& now, const Status& previous = {}) {
  StatsdOptions options;
  options.names = StatsdNames::zuul;
  std::vector<std::string> lines;
  for (const std::string& datagram :
       statsd_datagrams(now, previous, options, "ci-1.example.org:8080")) {
    for (std::string& line : lines_of(datagram)) lines.push_back(std::move(line));
  }
  return lines;
}

// The value and type of one name; nullopt if it was not sent.
std::optional<std::string> sent(const Status& status, const std::string& name) {
  for (const std::string& line : zuul_lines(status)) {
    if (line.starts_with(kBase + name + ":")) return line.substr(kBase.size() + name.size() + 1);
  }
  return std::nullopt;
}

Status with(SensorStatus sensor) {
  Status status = idle_status();
  status.sensors = {std::move(sensor)};
  return status;
}

TEST(StatsdZuul, CountsJobsUnderZuulsNames) {
  Status previous = busy_status();
  previous.counters.admitted = 28;
  const auto lines = zuul_lines(busy_status(), previous);
  for (const char* line :
       {"builds:3|c", "running_builds:3|g", "starting_builds:1|g", "paused_builds:0|g", "pause:0|g",
        "window_size:40|g", "window_usage:35|g", "load_average:225|g"}) {
    EXPECT_NE(std::find(lines.begin(), lines.end(), kBase + line), lines.end()) << line;
  }
}

TEST(StatsdZuul, PauseShowsPausingAndDraining) {
  Status status = idle_status();
  EXPECT_EQ(sent(status, "pause"), "0|g");
  status.paused = true;
  EXPECT_EQ(sent(status, "pause"), "1|g");
  status.paused = false;
  status.draining = true;
  EXPECT_EQ(sent(status, "pause"), "1|g");
}

struct DiskCase {
  const char* id;
  double blocks, free_blocks, inodes, free_inodes;
  const char* space_gauge;
  const char* inode_gauge;
};

TEST(StatsdZuul, DiskGaugesAreThoseOfZuulsOwnTests) {
  const DiskCase cases[] = {
      {"D1", 120920708, 95716701, 61022208, 32147841, "2084|g", "4731|g"},
      {"D2", 120920708, 5716701, 61022208, 32147841, "9527|g", "4731|g"},
      {"D3", 120920708, 95716701, 61022208, 1336387, "2084|g", "9780|g"},
  };
  constexpr double kBlock = 4096;
  for (const DiskCase& c : cases) {
    const Status status = with(
        green_sensor("disk", {{"/", c.free_blocks * kBlock, 1, c.blocks * kBlock, Unit::bytes, 0.5},
                              {"/ inodes", c.free_inodes, 1, c.inodes, Unit::count, 0.5}}));
    EXPECT_EQ(sent(status, "pct_used_hdd"), c.space_gauge) << c.id;
    EXPECT_EQ(sent(status, "pct_used_inodes"), c.inode_gauge) << c.id;
  }
}

struct CgroupCase {
  const char* id;
  double limit, used;
  const char* gauge;
};

TEST(StatsdZuul, CgroupGaugesAreThoseOfZuulsOwnTests) {
  const CgroupCase cases[] = {{"G2", 5368709120, 1073741824, "2000|g"},
                              {"G3", 5368709120, 5153960755, "9599|g"}};
  for (const CgroupCase& c : cases) {
    const Status whole =
        with(green_sensor("cgroup", {{"memory", c.used, 0.95 * c.limit, c.limit, Unit::bytes, 0.5},
                                     {"throttled", 0.99, 0.5, {}, Unit::ratio, 1.98}}));
    EXPECT_EQ(sent(whole, "pct_used_ram_cgroup"), c.gauge) << c.id;
    const Status limit_only =
        with(green_sensor("cgroup", {{"memory", c.used, c.limit, {}, Unit::bytes, 0.5}}));
    EXPECT_EQ(sent(limit_only, "pct_used_ram_cgroup"), c.gauge) << c.id;
  }
}

TEST(StatsdZuul, ExactPercentagesStayExact) {
  for (int percent = 0; percent <= 100; ++percent) {
    const double whole = 8.0 * 1024 * 1024 * 1024 * 25;
    const double available = whole / 100 * (100 - percent);
    const Status status =
        with(green_sensor("memory", {{"available", available, 1, whole, Unit::bytes, 0.5}}));
    EXPECT_EQ(sent(status, "pct_used_ram"), std::to_string(percent * 100) + "|g");
  }
}

TEST(StatsdZuul, UnlimitedCgroupHasNoGauge) {
  const Status status = with(green_sensor("cgroup", {{"memory", 561152, {}, {}, Unit::bytes, 0}}));
  EXPECT_EQ(sent(status, "pct_used_ram_cgroup"), std::nullopt);
}

TEST(StatsdZuul, WorstFilesystemCounts) {
  const Status status = with(green_sensor("disk", {{"/", 90, 1, 100, Unit::bytes, 0.1},
                                                   {"/ inodes", 0, {}, 0.0, Unit::count, 0},
                                                   {"/srv", 20, 1, 100, Unit::bytes, 0.2},
                                                   {"/tmp", 50, 1, 100, Unit::bytes, 0.2}}));
  EXPECT_EQ(sent(status, "pct_used_hdd"), "8000|g");
  EXPECT_EQ(sent(status, "pct_used_inodes"), std::nullopt) << "it has no inodes to count";
}

TEST(StatsdZuul, ProcessesAndTheirLimitAreOfTheSameGroup) {
  const Status status = with(green_sensor("pids", {{"root", 500, 50, 1000, Unit::tasks, 0.1},
                                                   {"user", 390, 20, 400, Unit::tasks, 0.1},
                                                   {"free", 9000, {}, {}, Unit::tasks, 0}}));
  EXPECT_EQ(sent(status, "cur_process"), "500|g");
  EXPECT_EQ(sent(status, "max_process"), "1000|g");
}

TEST(StatsdZuul, LoadIsTruncatedTowardZero) {
  const std::pair<double, const char*> cases[] = {{0, "0|g"}, {3.1, "310|g"}, {0.999, "99|g"}};
  for (const auto& [load, gauge] : cases) {
    const Status status = with(green_sensor("load", {{"runnable", 77, {}, {}, Unit::count, 0},
                                                     {"load1", load, 5, {}, Unit::count, 0.5}}));
    EXPECT_EQ(sent(status, "load_average"), gauge);
  }
}

TEST(StatsdZuul, MissingOrStaleSensorGivesNoLine) {
  const std::size_t without = zuul_lines(idle_status()).size();
  EXPECT_EQ(without, 7u);
  Status stale = busy_status();
  for (SensorStatus& sensor : stale.sensors) sensor.fresh = false;
  EXPECT_EQ(zuul_lines(stale).size(), without);
}

}  // namespace
}  // namespace sluice
