// Whatever the files contain, a sensor gives a reading within bounds or a failure.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/parse.h"
#include "base/text.h"
#include "contents.h"
#include "host_trees.h"
#include "sensors/build_sensors.h"
#include "sensors/cgroup.h"
#include "sensors/host.h"
#include "sensors/number_file.h"

namespace sluice {
namespace {
using testing::contents_of;

SensorOptions all_on() {
  SensorOptions options;
  options.load.presence = Presence::on;
  options.cpu_pressure.presence = Presence::on;
  options.memory.presence = Presence::on;
  options.memory_pressure.presence = Presence::on;
  options.io_pressure.presence = Presence::on;
  options.cgroup.presence = Presence::on;
  options.pids.presence = Presence::on;
  options.disk.presence = Presence::off;
  return options;
}

std::vector<Sensor> sensors_of(const HostPaths& paths) {
  return build_sensors(all_on(), read_host_facts(paths), paths, std::nullopt);
}

void expect_sane(const Sensor& sensor, const Measurement& measurement) {
  const auto* reading = std::get_if<Reading>(&measurement.result);
  if (!reading) {
    EXPECT_FALSE(std::get<ReadFailure>(measurement.result).what.empty()) << sensor.name;
    return;
  }
  for (const Condition& condition : reading->conditions) {
    EXPECT_TRUE(condition.pressure >= 0 && condition.pressure <= 100) << sensor.name;
  }
  EXPECT_EQ(printable(reading->sentence), reading->sentence) << sensor.name;
  EXPECT_EQ(printable(reading->source), reading->source) << sensor.name;
}

TEST(Garbage, EverySensorOfAHostOfNonsenseFailsAndNamesAFile) {
  for (const Sensor& sensor : sensors_of(host_tree("garbage"))) {
    const Measurement measurement = sensor.measure(at_seconds(0));
    const auto* failure = std::get_if<ReadFailure>(&measurement.result);
    ASSERT_TRUE(failure) << sensor.name << ": " << std::get<Reading>(measurement.result).sentence;
    EXPECT_NE(failure->what.find("/proc/"), std::string::npos) << failure->what;
    EXPECT_EQ(printable(failure->what), failure->what);
  }
}

TEST(Garbage, ACgroupOfNonsenseIsAFailureAndLeavesTheOthersAlone) {
  for (const Sensor& sensor : sensors_of(host_tree("garbage_cgroup"))) {
    const Measurement measurement = sensor.measure(at_seconds(0));
    const bool of_host = sensor.name == "load" || sensor.name == "memory";
    EXPECT_EQ(std::holds_alternative<Reading>(measurement.result), of_host) << sensor.name;
  }
}

TEST(Garbage, AnEmptyHostIsAFailureOfEverySensorButTheCgroup) {
  const TemporaryTree tree;
  for (const Sensor& sensor : sensors_of(tree.paths())) {
    const Measurement measurement = sensor.measure(at_seconds(0));
    const bool has_none_to_read = sensor.name == "cgroup";
    EXPECT_EQ(std::holds_alternative<Reading>(measurement.result), has_none_to_read) << sensor.name;
  }
}

/// A typical damage of a file: truncation, replaced bytes, a huge or negative number.
std::string damaged(std::string text, std::mt19937_64& random) {
  const auto below = [&random](std::size_t most) {
    return most == 0 ? 0 : static_cast<std::size_t>(random() % most);
  };
  const std::size_t place = below(text.size());
  switch (random() % 6) {
    case 0:
      return text.substr(0, place);
    case 1:
      return text.insert(place, "99999999999999999999999");
    case 2:
      return text.insert(place, "-");
    case 3:
      return text.insert(place, "\n\xff\xc3 max nan ");
    case 4:
      return "";
    default:
      if (!text.empty()) text[place] = static_cast<char>(random());
      return text;
  }
}

/// Every file of a tree, by its path within the tree.
std::map<std::string, std::string> files_of(const HostPaths& tree) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.root)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = entry.path().string();
    files[path.substr(tree.root.size())] = contents_of(path);
  }
  return files;
}

TEST(Garbage, DamagedFilesNeverCrashASensorNorLeaveItsBounds) {
  std::mt19937_64 random(4);
  for (const char* kind : {"hybrid", "service", "pod_v1", "nested"}) {
    const auto files = files_of(host_tree(kind));
    const TemporaryTree tree(files);
    for (int round = 0; round < 60; ++round) {
      std::vector<std::string> changed;
      for (const auto& [path, content] : files) {
        if (random() % 8 != 0) continue;
        changed.push_back(path);
        tree.write(path, damaged(content, random));
      }
      for (const Sensor& sensor : sensors_of(tree.paths())) {
        expect_sane(sensor, sensor.measure(at_seconds(0)));
        expect_sane(sensor, sensor.measure(at_seconds(1)));
      }
      for (const std::string& path : changed) tree.write(path, files.at(path));
    }
  }
}

TEST(Garbage, RandomBytesNeverCrashAParser) {
  std::mt19937_64 random(5);
  constexpr std::string_view kBits[] = {"some ",
                                        "full ",
                                        "avg10=",
                                        "total=",
                                        "max ",
                                        "0::/",
                                        ":",
                                        "-",
                                        "/",
                                        "\n",
                                        "MemTotal:",
                                        " kB",
                                        "18446744073709551616",
                                        "nan",
                                        "inf",
                                        "1",
                                        " ",
                                        "\xff",
                                        "cgroup2 ",
                                        "- ",
                                        ",",
                                        "\\040",
                                        "\\"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = random() % 30; n > 0; --n) text += kBits[random() % std::size(kBits)];
    parse_loadavg(text);
    parse_meminfo(text);
    parse_psi(text);
    parse_proc_cgroup(text);
    parse_cgroup_mounts(text);
    count_cpus(text);
    parse_cpus_allowed(text);
    parse_limit(text);
    parse_cpu_max(text);
    parse_cfs_quota(text, text);
    parse_throttle_counts(text);
    parse_single_number(text);
    number_of(text, "some");
    EXPECT_EQ(printable(printable(text)), printable(text));
  }
}

}  // namespace
}  // namespace sluice
