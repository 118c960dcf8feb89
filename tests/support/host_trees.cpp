#include "host_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/seconds.h"

namespace sluice {

HostPaths host_tree(const std::string& kind) {
  HostPaths paths{std::string(SLUICE_SOURCE) + "/tests/fixtures/hosts/" + kind};
  if (!std::filesystem::exists(paths.root)) throw std::runtime_error("no tree " + paths.root);
  return paths;
}

TemporaryTree::TemporaryTree() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice-tree-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp " + name);
  root_ = name;
}

TemporaryTree::TemporaryTree(const Files& files) : TemporaryTree() {
  for (const auto& [path, content] : files) write(path, content);
}

TemporaryTree::~TemporaryTree() {
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

void TemporaryTree::write(const std::string& path, std::string_view content) const {
  const std::filesystem::path file = at(path);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

void TemporaryTree::remove(const std::string& path) const { std::filesystem::remove_all(at(path)); }

std::map<std::string, std::string> open_v2_level(const std::string& folder) {
  return {{folder + "/memory.max", "max\n"},
          {folder + "/memory.high", "max\n"},
          {folder + "/memory.current", "0\n"},
          {folder + "/memory.stat", "anon 0\ninactive_file 0\n"},
          {folder + "/cpu.max", "max 100000\n"},
          {folder + "/cpu.stat", "usage_usec 1\nnr_periods 0\nnr_throttled 0\n"},
          {folder + "/pids.max", "max\n"},
          {folder + "/pids.current", "1\n"}};
}

std::map<std::string, std::string> v2_host(const std::string& path) {
  std::map<std::string, std::string> files{
      {"/proc/self/cgroup", "0::" + path + "\n"},
      {"/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"},
      {"/proc/loadavg", "0.50 0.40 0.30 1/100 4711\n"},
      {"/proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n"},
      {"/proc/sys/kernel/pid_max", "4194304\n"},
      {"/sys/devices/system/cpu/online", "0-3\n"},
      {"/proc/self/status", "Cpus_allowed_list:\t0-3\n"}};
  files.merge(open_v2_level("/sys/fs/cgroup" + path));
  return files;
}

TimePoint at_seconds(double seconds) { return TimePoint(from_seconds(1000 + seconds)); }

Reading reading_or_fail(const Result<Reading>& result) {
  if (const auto* reading = value_in(result)) return *reading;
  ADD_FAILURE() << failure_in(result).what;
  return {};
}

Condition condition_of(const Reading& reading, std::string_view name) {
  const auto& all = reading.conditions;
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Condition& c) { return c.name == name; });
  if (found != all.end()) return *found;
  ADD_FAILURE() << "no condition " << name << " in: " << reading.sentence;
  return {};
}

}  // namespace sluice
