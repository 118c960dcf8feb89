#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace sluice::testing {

/// The contents of a file; empty if it cannot be read.
inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace sluice::testing
