// The rules of the house, read off the sources themselves.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {
namespace fs = std::filesystem;

using Names = std::set<std::string>;

const fs::path kSource = SLUICE_SOURCE;

/// Which rooms a room may include. `options` of a room means its options.h alone.
const std::map<std::string, Names> kRooms = {
    {"include/sluice", {}},
    {"governor", {}},
    {"sensors", {}},
    {"costmodel", {}},
    {"metrics", {}},
    {"config", {"metrics/options.h", "service/options.h"}},
    {"embed", {"config", "costmodel", "governor", "sensors"}},
    {"service", {"config", "costmodel", "embed", "governor", "metrics", "sensors"}},
    {"cli", {"config", "costmodel", "embed", "governor", "metrics", "sensors", "service"}},
};

/// Where each third party may be included.
const std::map<std::string, Names> kThirdParties = {
    {"boost", {"service", "cli"}},  {"yaml-cpp", {"config"}},    {"prometheus", {"metrics"}},
    {"spdlog", {"service", "cli"}}, {"fmt", {"service", "cli"}}, {"CLI", {"cli"}},
    {"openssl", {"service"}},
};

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::vector<fs::path> sources_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".h" || extension == ".cpp") files.push_back(entry.path());
  }
  return files;
}

struct Include {
  std::string path;
  bool quoted;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex line(R"re(#\s*include\s*([<"])([^>"]+)[>"])re");
  const std::string text = contents_of(file);
  std::vector<Include> includes;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it) {
    includes.push_back({(*it)[2], (*it)[1] == "\""});
  }
  return includes;
}

std::string first_folder(const std::string& path) { return path.substr(0, path.find('/')); }

TEST(House, IncludesRunOneWay) {
  for (const auto& [room, may] : kRooms) {
    const auto files = sources_in(room);
    ASSERT_FALSE(files.empty()) << room;
    for (const fs::path& file : files) {
      for (const Include& include : includes_of(file)) {
        if (!include.quoted) continue;
        const std::string folder = first_folder(include.path);
        const bool allowed = folder == "sluice" || folder == room || may.contains(folder) ||
                             may.contains(include.path);
        EXPECT_TRUE(allowed) << file << " may not include " << include.path;
      }
    }
  }
}

TEST(House, ThirdPartiesStayWhereTheyBelong) {
  for (const auto& [room, may] : kRooms) {
    for (const fs::path& file : sources_in(room)) {
      for (const Include& include : includes_of(file)) {
        const auto party = kThirdParties.find(first_folder(include.path));
        if (include.quoted || party == kThirdParties.end()) continue;
        EXPECT_TRUE(party->second.contains(room)) << file << " includes " << include.path;
      }
    }
  }
}

TEST(House, AtMostTwoTranslationUnitsIncludeBeast) {
  std::set<fs::path> units;
  for (const auto& [room, may] : kRooms) {
    for (const fs::path& file : sources_in(room)) {
      for (const Include& include : includes_of(file)) {
        if (include.path.starts_with("boost/beast")) units.insert(file);
      }
    }
  }
  for (const fs::path& unit : units) {
    EXPECT_EQ(unit.extension(), ".cpp") << unit << " would spread Beast to who includes it";
  }
  EXPECT_LE(units.size(), 2u);
}

TEST(House, OnlyTheGovernorItselfKnowsThreadsAndClocks) {
  const std::regex impure(
      R"(::now\(|\bopen\(|std::(mutex|j?thread|condition_variable)|\bboost[:/]|yaml)");
  for (const fs::path& file : sources_in("governor")) {
    if (file.stem() == "governor") continue;
    const std::string text = contents_of(file);
    std::smatch found;
    EXPECT_FALSE(std::regex_search(text, found, impure)) << file << ": " << found.str();
  }
}

TEST(House, EveryHeaderIsGuardedOnce) {
  for (const auto& [room, may] : kRooms) {
    for (const fs::path& file : sources_in(room)) {
      if (file.extension() != ".h") continue;
      EXPECT_TRUE(contents_of(file).starts_with("#pragma once\n")) << file;
    }
  }
}

}  // namespace
