#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sensors/result.h"

namespace sluice {

/// A folder that is reached by its descriptor, wherever it is mounted and whether or not this
/// process could find it by name.
class HeldFolder {
 public:
  /// Takes the descriptor over. `path`: what its owner calls the folder, for people.
  HeldFolder(int descriptor, std::string path);
  ~HeldFolder();
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

  /// As a path that any file call of this process takes, as long as this lives.
  std::string place() const;

  /// Whether such a file is there; not so once a cgroup has been removed.
  bool has(const char* file) const;

  /// Whether both are the same folder, by whatever names.
  bool is_same(const HeldFolder& other) const;

  /// How many folders above this one are of the same filesystem: for a cgroup, the groups above it
  /// that its owner can see.
  int count_above() const;

 private:
  int descriptor_;
  std::string path_;
};

/// A directory of a cgroup hierarchy, as /proc/PID/cgroup names it.
struct GroupFolder {
  std::string controllers;  ///< "memory", "cpu,cpuacct"; empty is v2.
  std::shared_ptr<const HeldFolder> held;
};

/// Opens the directories of this process's own cgroup: one where all is v2, one for each hierarchy
/// of v1, and both on a hybrid host. A failure says why there is none.
Result<std::vector<GroupFolder>> open_own_group();

/// Whether what the group's processes use of memory can be read there.
bool accounts_memory(const GroupFolder& folder);

/// What keeps the folder from being taken for a cgroup with these controllers: it is a file, or of
/// another filesystem, or lacks what is to be read; none: it is one.
std::optional<std::string> wrong_with(const GroupFolder& folder);

}  // namespace sluice
