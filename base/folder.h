#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace sluice
