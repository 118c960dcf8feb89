#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "metrics/statsd.h"
#include "page.h"
#include "sensors/cgroup.h"
#include "sensors/disk.h"
#include "sensors/load.h"
#include "sensors/memory.h"
#include "sensors/pids.h"
#include "snapshot.h"

namespace sluice {
namespace {

// Zuul's gauges find their readings by the names of sensors and conditions. Neither library
// includes the other, so only a test can keep the names consistent.
std::vector<std::string> zuul_lines_of(std::string sensor, Reading reading) {
  Status status = idle_status();
  status.sensors = {green_sensor(std::move(sensor), {})};
  status.sensors[0].reading = std::move(reading);
  StatsdOptions options;
  options.names = StatsdNames::zuul;
  std::vector<std::string> lines;
  for (const std::string& datagram : statsd_datagrams(status, {}, options, "h")) {
    for (std::string& line : lines_of(datagram)) lines.push_back(std::move(line));
  }
  return lines;
}

void expect_line(const std::vector<std::string>& lines, const std::string& line) {
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "zuul.executor.h." + line), 1) << line;
}

TEST(RealReadings, OfTheLoadSensorFeedZuulsGauges) {
  expect_line(zuul_lines_of("load", load_reading({3.1, 2, 400}, 4, 2.5)), "load_average:310|g");
}

TEST(RealReadings, OfTheMemorySensorFeedZuulsGauges) {
  expect_line(zuul_lines_of("memory", memory_reading({Bytes{8000}, Bytes{6400}}, 0.05)),
              "pct_used_ram:2000|g");
}

TEST(RealReadings, OfTheDiskSensorFeedZuulsGauges) {
  const DiskSpace space{"/var", 4096, 120920708, 95716701, 61022208, 1336387, 0.05};
  const auto lines = zuul_lines_of("disk", disk_reading({space}));
  expect_line(lines, "pct_used_hdd:2084|g");
  expect_line(lines, "pct_used_inodes:9780|g");
}

TEST(RealReadings, OfTheCgroupSensorFeedZuulsGauges) {
  MemorySnapshot memory;
  memory.levels.push_back({"/a", Bytes{5368709120}, "memory.max", Bytes{5153960755}, Bytes{0}});
  expect_line(zuul_lines_of("cgroup", cgroup_reading(memory, {}, {})),
              "pct_used_ram_cgroup:9599|g");
}

TEST(RealReadings, OfThePidsSensorFeedZuulsGauges) {
  const auto lines =
      zuul_lines_of("pids", pids_reading({{"/a", 141, 150}}, {"host", 300, 32768}, {}));
  expect_line(lines, "cur_process:141|g");
  expect_line(lines, "max_process:150|g");
}

}  // namespace
}  // namespace sluice
