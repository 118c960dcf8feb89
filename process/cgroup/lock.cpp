#include "process/cgroup/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace sluice {
namespace {

/// Whether the folder of that name is still the open one: between open and flock it may have been
/// removed and another made in its place.
bool is_still(const std::string& folder, int descriptor) {
  struct stat named {};
  struct stat open {};
  return stat(folder.c_str(), &named) == 0 && fstat(descriptor, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace

std::optional<GroupLock> GroupLock::acquire(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  GroupLock lock(descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !is_still(folder, descriptor)) {
    return std::nullopt;
  }
  return lock;
}

}  // namespace sluice
