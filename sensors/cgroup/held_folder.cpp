#include "sensors/cgroup/held_folder.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"

namespace sluice {
namespace {

/// Deeper than any hierarchy; ends a cycle.
constexpr int kMostAbove = 64;

/// Filesystems likely to be sent by mistake.
constexpr std::array<std::pair<long, const char*>, 7> kKnown{{{TMPFS_MAGIC, "tmpfs"},
                                                              {PROC_SUPER_MAGIC, "proc"},
                                                              {SYSFS_MAGIC, "sysfs"},
                                                              {OVERLAYFS_SUPER_MAGIC, "overlay"},
                                                              {EXT4_SUPER_MAGIC, "ext4"},
                                                              {XFS_SUPER_MAGIC, "xfs"},
                                                              {BTRFS_SUPER_MAGIC, "btrfs"}}};

std::string name_of_filesystem(long magic) {
  for (const auto& [known, name] : kKnown) {
    if (known == magic) return name;
  }
  return "another filesystem";
}

const char* name_of_kind(mode_t mode) {
  if (S_ISREG(mode)) return "a file";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "something else";
}

std::optional<std::string> wrong_filesystem(const GroupFolder& folder) {
  struct statfs filesystem {};
  if (::fstatfs(folder.held->descriptor(), &filesystem) != 0) return error_text(errno);
  const long magic = filesystem.f_type;
  const bool is_v2 = folder.controllers.empty();
  if (magic == (is_v2 ? CGROUP2_SUPER_MAGIC : CGROUP_SUPER_MAGIC)) return std::nullopt;
  if (magic == CGROUP2_SUPER_MAGIC) return "is a cgroup of v2, which is sent without controllers";
  if (magic == CGROUP_SUPER_MAGIC) return "is a cgroup of v1, but without controller names";
  return "is on " + name_of_filesystem(magic) + ", not a cgroup";
}

/// The file needed to read a controller.
using Needed = std::pair<std::string_view, const char*>;
constexpr std::array<Needed, 4> kNeeded{{{"memory", "memory.usage_in_bytes"},
                                         {"cpu", "cpu.stat"},
                                         {"cpuacct", "cpuacct.usage"},
                                         {"pids", "pids.current"}}};

/// Several controllers may share one hierarchy and folder.
struct Found {
  std::string folder;
  std::string controllers;
};

void add(std::vector<Found>& all, const CgroupFinding& finding, const std::string& controller) {
  if (!finding.place) return;
  const bool is_v2 = finding.place->version == CgroupVersion::v2;
  const std::string folder = folders_of(*finding.place).front();
  const auto same = std::ranges::find(all, folder, &Found::folder);
  if (same == all.end()) {
    all.push_back({folder, is_v2 ? "" : controller});
  } else if (!is_v2) {
    same->controllers += "," + controller;
  }
}

}  // namespace

bool HeldFolder::has(const char* file) const {
  return ::faccessat(descriptor_.get(), file, F_OK, 0) == 0 || errno == EACCES;
}

bool HeldFolder::is_same(const HeldFolder& other) const {
  struct stat here {};
  struct stat there {};
  return ::fstat(descriptor_.get(), &here) == 0 && ::fstat(other.descriptor_.get(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

int HeldFolder::count_above() const {
  struct stat here {};
  if (::fstat(descriptor_.get(), &here) != 0) return 0;
  std::string path = "..";
  for (int above = 0; above < kMostAbove; ++above) {
    struct stat next {};
    if (::fstatat(descriptor_.get(), path.c_str(), &next, 0) != 0) return above;
    if (next.st_dev != here.st_dev || next.st_ino == here.st_ino) return above;
    here = next;
    path += "/..";
  }
  return kMostAbove;
}

Result<std::vector<GroupFolder>> open_own_group() {
  const CgroupPlaces places = find_cgroups({});
  std::vector<Found> found;
  add(found, places.memory, "memory");
  add(found, places.cpu, "cpu");
  add(found, places.cpuacct, "cpuacct");
  add(found, places.pids, "pids");
  add(found, places.unified, "");
  if (found.empty()) {
    const std::string& problem = places.memory.problem;
    return ReadFailure{problem.empty() ? "no cgroup hierarchy is mounted here (/sys/fs/cgroup)"
                                       : problem};
  }
  std::vector<GroupFolder> folders;
  for (const Found& each : found) {
    const int descriptor = ::open(each.folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return ReadFailure{printable(each.folder) + ": " + error_text(errno)};
    folders.push_back(
        {each.controllers, std::make_shared<HeldFolder>(descriptor, printable(each.folder))});
  }
  return folders;
}

bool accounts_memory(const GroupFolder& folder) {
  if (folder.controllers.empty()) return folder.held->has("memory.current");
  return folder.held->has("memory.usage_in_bytes");
}

std::optional<std::string> wrong_with(const GroupFolder& folder) {
  struct stat what {};
  if (::fstat(folder.held->descriptor(), &what) != 0) return error_text(errno);
  if (!S_ISDIR(what.st_mode)) {
    return std::string("is ") + name_of_kind(what.st_mode) + ", not a directory of a cgroup";
  }
  if (auto wrong = wrong_filesystem(folder)) return wrong;
  if (!folder.held->has("cgroup.procs")) {
    return "is a cgroup that has been removed: its container has ended";
  }
  std::string_view rest = folder.controllers;
  // The top of a hierarchy does not count tasks.
  const bool is_top = folder.held->has("release_agent");
  while (!rest.empty()) {
    const std::string_view controller = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), controller.size() + 1));
    const auto needed = std::ranges::find(kNeeded, controller, &Needed::first);
    if (needed == kNeeded.end()) {
      return "names an unused controller: '" + printable(controller, 40) + "'";
    }
    const auto& [name, file] = *needed;
    const bool is_exempt = is_top && name == "pids";
    if (!is_exempt && !folder.held->has(file)) {
      return "has no " + std::string(file) + ": it does not belong to the controller " +
             std::string(name);
    }
  }
  return std::nullopt;
}

}  // namespace sluice
