#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "sensors/files/file.h"
#include "sensors/files/result.h"
#include "sluice/reading.h"
#include "sluice/units.h"

namespace sluice {

/// One of the trees in tests/fixtures/hosts, readable as if it were the host.
HostPaths host_tree(const std::string& kind);

/// A tree of files in a temporary folder, removed by the destructor.
class TemporaryTree {
 public:
  using Files = std::map<std::string, std::string>;

  TemporaryTree();
  explicit TemporaryTree(const Files& files);
  TemporaryTree(std::initializer_list<Files::value_type> files) : TemporaryTree(Files(files)) {}
  ~TemporaryTree();
  TemporaryTree(const TemporaryTree&) = delete;
  TemporaryTree& operator=(const TemporaryTree&) = delete;

  /// Writes a file and creates its parent folders. The path is absolute within the tree.
  void write(const std::string& path, std::string_view content) const;
  void remove(const std::string& path) const;
  HostPaths paths() const { return {root_}; }
  std::string at(const std::string& path) const { return root_ + path; }

 private:
  std::string root_;
};

/// The files of one level of a v2 cgroup without limits; a test changes what it needs.
std::map<std::string, std::string> open_v2_level(const std::string& folder);

/// A v2 host with this process in `path`.
std::map<std::string, std::string> v2_host(const std::string& path);

/// Seconds after an arbitrary start.
TimePoint at_seconds(double seconds);

/// The reading, or a test failure that states why there is none.
Reading reading_or_fail(const Result<Reading>& result);

/// The condition of that name, or a test failure.
Condition condition_of(const Reading& reading, std::string_view name);

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace sluice
