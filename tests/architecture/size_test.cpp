// How long files may be, and how many of them a folder may hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "source_tree.h"

namespace architecture {
namespace {

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostLinesOfSource = 400;
constexpr std::size_t kMostLinesOfHeader = 160;

/// Longer headers, and why.
const std::map<std::string, std::string> kLongHeaders = {
    {"governor/core.h", "the facade of the core: a line or two for each event and question"},
    {"governor/recorded_core.h", "a call for each of core.h"},
    {"include/sluice.h", "the API for C in one place"},
    {"include/sluice/governor.h", "the API of the library in one place"},
    {"include/sluice/options.h",
     "all settings of the governor and the sensors with their defaults"},
    {"include/sluice/status.h", "all that a governor tells about itself"},
    {"model/host.h", "one machine, with everything that jobs do to it"},
};

/// The files of the project.
std::vector<fs::path> files() {
  std::vector<fs::path> found;
  for (const auto& top : fs::directory_iterator(kSource)) {
    const std::string name = top.path().filename();
    if (!top.is_directory() || name == ".git" || name == "build") continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
  }
  return found;
}

bool is_script(const fs::path& file) {
  return file.extension() == ".py" || file.extension() == ".sh" ||
         contents_of(file).starts_with("#!");
}

std::size_t lines_of(const fs::path& file) {
  return static_cast<std::size_t>(std::ranges::count(contents_of(file), '\n'));
}

TEST(Architecture, NoFolderHoldsTooManyFiles) {
  std::map<fs::path, std::size_t> folders;
  for (const fs::path& file : files()) {
    if (is_source(file)) ++folders[file.parent_path()];
  }
  for (const auto& [folder, count] : folders) EXPECT_LE(count, kMostFiles) << folder;
  EXPECT_GE(folders.size(), 80u);
}

TEST(Architecture, NoSourceIsTooLong) {
  for (const fs::path& file : files()) {
    if (!is_source(file)) continue;
    const std::string name = file.lexically_relative(kSource);
    const std::size_t lines = lines_of(file);
    const std::size_t most = file.extension() == ".h" ? kMostLinesOfHeader : kMostLinesOfSource;
    const bool is_long = lines > most;
    EXPECT_EQ(is_long, kLongHeaders.contains(name)) << name << " has " << lines << " lines";
  }
}

TEST(Architecture, NoScriptIsTooLong) {
  std::size_t scripts = 0;
  for (const fs::path& file : files()) {
    if (!is_script(file)) continue;
    ++scripts;
    const std::size_t lines = lines_of(file);
    EXPECT_LE(lines, kMostLinesOfSource) << file << " has " << lines << " lines";
  }
  EXPECT_GE(scripts, 80u);
}

}  // namespace
}  // namespace architecture
