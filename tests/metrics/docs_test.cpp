#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "metrics/prometheus.h"
#include "metrics/statsd.h"
#include "page.h"
#include "snapshot.h"

namespace sluice {
namespace {

// The text in backticks at the start of each table row below a heading.
std::set<std::string> rows_below(const std::string& heading) {
  const std::string start = "| `";
  std::set<std::string> names;
  bool inside = false;
  for (const std::string& line : lines_of(read_whole(SLUICE_SOURCE "/docs/metrics.md"))) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with(start)) continue;
    names.insert(line.substr(start.size(), line.find('`', start.size()) - start.size()));
  }
  return names;
}

TEST(MetricsDocs, ListExactlyTheExportedMetrics) {
  std::set<std::string> exported;
  for (const auto& [name, type] : parse_page(prometheus_text(busy_status(), busy_facts())).types) {
    exported.insert(name);
  }
  Status capacities = busy_status();
  capacities.sensors = {
      green_sensor("a", {{"x", 1, 2, {}, Unit::ratio, 0.5}, {"y", 1, 2, 3, Unit::tasks, 0.5}})};
  for (const auto& [name, type] : parse_page(prometheus_text(capacities, busy_facts())).types) {
    exported.insert(name);
  }
  EXPECT_EQ(rows_below("Prometheus"), exported);
}

std::vector<std::string> parts_of(const std::string& name) {
  std::istringstream stream(name);
  std::vector<std::string> parts;
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
  return parts;
}

// Matches any one part in place of "<sensor>" in "sensor.<sensor>.ok".
bool stands_for(const std::string& row, const std::string& name) {
  const auto pattern = parts_of(row);
  const auto parts = parts_of(name);
  return std::equal(
      pattern.begin(), pattern.end(), parts.begin(), parts.end(),
      [](const std::string& a, const std::string& b) { return a == b || a.starts_with("<"); });
}

void expect_same_names(StatsdNames names, const std::string& heading) {
  StatsdOptions options;
  options.names = names;
  Status status = busy_status();
  status.sensors[3] = green_sensor("cgroup", {{"memory", 1, 2, 3, Unit::bytes, 0.5}});
  std::set<std::string> sent;
  for (const std::string& datagram : statsd_datagrams(status, {}, options, "host")) {
    for (const std::string& line : lines_of(datagram)) sent.insert(line.substr(0, line.find(':')));
  }
  const std::set<std::string> rows = rows_below(heading);
  std::set<std::string> unused = rows;
  for (const std::string& name : sent) {
    bool listed = false;
    for (const std::string& row : rows) {
      if (!stands_for(row, name)) continue;
      listed = true;
      unused.erase(row);
    }
    EXPECT_TRUE(listed) << name;
  }
  EXPECT_EQ(unused, std::set<std::string>());
}

TEST(MetricsDocs, ListExactlyTheStatsdNames) {
  expect_same_names(StatsdNames::sluice, "statsd, our names");
}

TEST(MetricsDocs, ListExactlyZuulsNames) {
  expect_same_names(StatsdNames::zuul, "statsd, Zuul's names");
}

}  // namespace
}  // namespace sluice
