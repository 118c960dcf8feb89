#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace architecture {
namespace fs = std::filesystem;

inline const fs::path kSource = SLUICE_SOURCE;

inline std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

inline bool is_source(const fs::path& file) {
  return file.extension() == ".h" || file.extension() == ".cpp";
}

/// The sources directly in a folder.
inline std::vector<fs::path> sources_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kSource / folder)) {
    if (is_source(entry.path())) files.push_back(entry.path());
  }
  return files;
}

}  // namespace architecture
