#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptors.h"

namespace sluice {

/// The names that a folder's stream gives, sorted; closes it. None if it is null. `kind`: only of
/// such as DT_DIR.
inline std::vector<std::string> names_in_stream(DIR* stream,
                                                std::optional<unsigned char> kind = {}) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(stream, closedir);
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    const bool is_wanted = !kind || entry->d_type == *kind;
    if (is_wanted && name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// The names of what is in a folder, sorted; none if it cannot be read.
inline std::vector<std::string> names_in_folder(const std::string& folder) {
  return names_in_stream(opendir(folder.c_str()));
}

/// The same of an open folder, which stays open.
inline std::vector<std::string> names_in_folder(int folder) {
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = again < 0 ? nullptr : fdopendir(again);
  if (!stream && again >= 0) close(again);
  return names_in_stream(stream);
}

/// The paths of the folders in a folder, without symbolic links to others, sorted; none if it
/// cannot be read.
inline std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders = names_in_stream(opendir(folder.c_str()), DT_DIR);
  for (std::string& each : folders) each.insert(0, folder.ends_with('/') ? folder : folder + "/");
  return folders;
}

/// Locks a folder by flock(2). The kernel releases the lock when the last process that holds it
/// ends, whatever pid that process has in which pid namespace. Forked children hold it too, as long
/// as they keep the descriptor open; exec closes it. None with errno: EWOULDBLOCK if another
/// process holds it, ENOENT if the folder is gone, also if another one is in its place.
inline Descriptor lock_folder(const std::string& folder) {
  Descriptor held(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!held || flock(held.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  // It may have been removed, and another made in its place, before it was locked.
  struct stat named {};
  struct stat locked {};
  const bool is_still = stat(folder.c_str(), &named) == 0 && fstat(held.get(), &locked) == 0 &&
                        named.st_dev == locked.st_dev && named.st_ino == locked.st_ino;
  if (is_still) return held;
  errno = ENOENT;
  return Descriptor();
}

}  // namespace sluice
