#pragma once

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
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

}  // namespace sluice
