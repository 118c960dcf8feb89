#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptors.h"
#include "sensors/files/result.h"

namespace sluice {

/// A folder accessed by its descriptor, wherever it is mounted and even if this process could not
/// find it by name.
class HeldFolder {
 public:
  /// Takes ownership of the descriptor. `path`: its owner's name for the folder, for people.
  HeldFolder(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  int descriptor() const { return descriptor_.get(); }
  const std::string& path() const { return path_; }

  /// A path for any file call of this process, valid as long as this object.
  std::string place() const { return "/proc/self/fd/" + std::to_string(descriptor_.get()); }

  /// Whether the file exists; false once a cgroup has been removed.
  bool has(const char* file) const;

  /// Whether both are the same folder, whatever their names.
  bool is_same(const HeldFolder& other) const;

  /// The number of folders above this one on the same filesystem: for a cgroup, the groups above it
  /// that its owner can see.
  int count_above() const;

 private:
  Descriptor descriptor_;
  std::string path_;
};

/// A directory of a cgroup hierarchy, as /proc/PID/cgroup names it.
struct GroupFolder {
  std::string controllers;  ///< "memory", "cpu,cpuacct"; empty for v2.
  std::shared_ptr<const HeldFolder> held;
};

/// Opens the directories of this process's own cgroup: one on a v2 host, one per hierarchy on v1,
/// both on a hybrid host. A failure says why there is none.
Result<std::vector<GroupFolder>> open_own_group();

/// Whether the memory usage of the group's processes can be read there.
bool accounts_memory(const GroupFolder& folder);

/// Why the folder is not a cgroup with these controllers: it is a file, is on another filesystem,
/// or lacks a file to read; nullopt if it is one.
std::optional<std::string> wrong_with(const GroupFolder& folder);

}  // namespace sluice
