#pragma once

#include <dirent.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sluice {

/// The names of what is in a folder, sorted; none if it cannot be read.
inline std::vector<std::string> names_in_folder(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  while (const dirent* entry = entries ? readdir(entries.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

/// The paths of the folders in a folder, without symbolic links to others, sorted; none if it
/// cannot be read.
inline std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code problem;
  for (std::filesystem::directory_iterator each(folder, problem), end; !problem && each != end;
       each.increment(problem)) {
    std::error_code ignored;
    if (each->is_directory(ignored) && !each->is_symlink(ignored)) {
      folders.push_back(each->path().string());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace sluice
