// The project's structural rules, checked against the sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "source_tree.h"

namespace architecture {
namespace {

using Names = std::set<std::string>;

/// What a folder may include besides its own headers and those of include/sluice: all headers of
/// another folder, or one header.
const std::map<std::string, Names> kModules = {
    {"include", {}},
    {"include/sluice", {}},
    {"base", {}},
    {"vocabulary", {"base/enum_names.h", "base/suggest.h", "base/text.h"}},
    {"status", {"base"}},
    {"governor/autoscaler", {"base/enum_names.h", "base/text.h"}},
    {"governor/books", {"governor/law", "governor/memory"}},
    {"governor/validation", {"base/suggest.h", "vocabulary"}},
    {"governor/inputs", {"base/varint.h", "governor/law"}},
    {"governor/law", {"base/seconds.h"}},
    {"governor/memory", {}},
    {"governor",
     {"base/seconds.h", "governor/books", "governor/validation", "governor/inputs", "governor/law",
      "governor/memory"}},
    {"governor/threads", {"governor", "governor/books", "governor/law", "governor/validation"}},
    {"sensors/files", {"base"}},
    {"sensors/cgroup", {"base", "sensors/files"}},
    {"sensors", {"base", "sensors/cgroup", "sensors/files"}},
    {"base/sqlite", {"base"}},
    {"costmodel", {"base"}},
    {"costmodel/store", {"base", "base/sqlite", "costmodel"}},
    {"metrics", {"base"}},
    {"config", {"base", "metrics/options.h", "service/options.h", "vocabulary"}},
    {"model", {"base/seconds.h", "costmodel", "governor", "governor/law", "governor/memory"}},
    {"embed", {"config", "costmodel", "costmodel/store", "sensors"}},
    {"capi", {"base", "status"}},
    {"record", {"base"}},
    {"process/child", {"base"}},
    {"process/cgroup", {"base", "sensors/cgroup", "sensors/files"}},
    {"process",
     {"base", "costmodel", "governor/memory", "process/cgroup", "process/child", "sensors"}},
    {"client", {"base", "costmodel", "sensors/cgroup"}},
    {"launch", {"base", "client", "costmodel", "process/child"}},
    {"recognition",
     {"base", "client", "costmodel", "process/child", "sensors/cgroup", "sensors/files"}},
    {"service", {}},
    {"service/http", {"base"}},
    {"service/protocol", {"base", "service/http", "status"}},
    {"service/access", {"base", "service/http", "service/options.h", "service/protocol"}},
    {"service/jobs",
     {"base", "base/sqlite", "costmodel", "governor/memory", "metrics", "process", "process/cgroup",
      "process/child", "sensors/cgroup", "sensors/files", "service/access", "service/http",
      "service/protocol"}},
    {"service/jobserver", {"base", "costmodel", "process", "process/child"}},
    {"service/gearman",
     {"base", "costmodel", "metrics", "process", "process/child", "service/options.h",
      "service/protocol"}},
    {"service/api",
     {"base", "config", "metrics", "service/access", "service/http", "service/jobs",
      "service/jobserver", "service/protocol", "status"}},
    {"service/doctor", {"base", "base/sqlite", "process/cgroup", "sensors", "sensors/cgroup"}},
    {"service/daemon",
     {"base",
      "config",
      "costmodel",
      "governor",
      "governor/threads",
      "metrics",
      "process",
      "process/child",
      "record",
      "sensors",
      "sensors/cgroup",
      "service/access",
      "service/api",
      "service/doctor",
      "service/gearman",
      "service/http",
      "service/jobs",
      "service/jobserver",
      "service/options.h",
      "service/protocol"}},
    {"autoscale",
     {"base", "governor/autoscaler", "metrics", "sensors", "service/http", "service/protocol"}},
    {"cli/terminal", {"base"}},
    {"cli/settings", {"config", "service/doctor"}},
    {"cli/command_line", {"base", "cli/terminal"}},
    {"cli/completion", {"base", "cli/command_line", "client", "config"}},
    {"cli/manual", {"base", "cli", "cli/autoscale", "cli/command_line", "config"}},
    {"cli/permit", {"base", "client", "process/child"}},
    {"cli/status", {"base", "cli/terminal", "client", "process/child", "status"}},
    {"cli/batch",
     {"base", "cli/command_line", "cli/permit", "cli/status", "cli/terminal", "client", "costmodel",
      "governor/memory", "process", "process/child", "sensors", "service/protocol"}},
    {"cli/record",
     {"base", "cli/settings", "cli/terminal", "governor", "governor/inputs", "record", "status"}},
    {"cli/replay",
     {"base", "cli/terminal", "config", "costmodel", "governor", "governor/autoscaler",
      "governor/law", "model"}},
    {"cli/whatif",
     {"base", "cli/record", "cli/replay", "cli/settings", "cli/terminal", "config", "record",
      "status"}},
    {"cli/autoscale",
     {"autoscale", "base", "cli/command_line", "cli/settings", "cli/terminal", "metrics",
      "process/child", "service/access", "service/api"}},
    {"cli/build",
     {"base", "cli/jobserver", "cli/permit", "client", "costmodel", "process", "process/child",
      "recognition", "sensors/cgroup", "service/jobserver"}},
    {"cli/jobserver",
     {"base", "cli/permit", "cli/settings", "client", "costmodel", "governor/memory", "process",
      "process/child", "sensors", "service/jobserver"}},
    {"cli",
     {"base",           "cli/batch",       "cli/build",       "cli/command_line", "cli/completion",
      "cli/jobserver",  "cli/permit",      "cli/record",      "cli/replay",       "cli/settings",
      "cli/status",     "cli/terminal",    "cli/whatif",      "client",           "config",
      "costmodel",      "costmodel/store", "process",         "sensors",          "service/api",
      "service/daemon", "service/doctor",  "service/protocol"}},
};

/// The folders that may include each third-party library.
const std::map<std::string, Names> kThirdParties = {
    {"boost",
     {"autoscale", "cli", "cli/batch", "cli/build", "cli/completion", "cli/jobserver", "cli/permit",
      "cli/replay", "cli/status", "client", "process", "process/child", "service/api",
      "service/daemon", "service/gearman", "service/http", "service/protocol"}},
    {"CLI",
     {"cli", "cli/autoscale", "cli/batch", "cli/command_line", "cli/completion", "cli/manual",
      "cli/permit"}},
    {"curl", {"autoscale"}},
    {"fmt", {"cli", "cli/autoscale"}},
    {"nettle", {"record", "service/jobs"}},
    {"sqlite3.h", {"base/sqlite"}},
    {"yaml-cpp", {"config"}},
    {"zstd.h", {"record"}},
};

/// The folders that define what a public header of the same name declares.
const Names kDefinePublic = {"capi",    "embed",     "governor/autoscaler", "governor/threads",
                             "sensors", "vocabulary"};

/// The folders that hold sources, in the top-level folders of `kModules`.
Names source_folders() {
  Names tops, folders;
  for (const auto& [module, may] : kModules) tops.insert(module.substr(0, module.find('/')));
  for (const std::string& top : tops) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / top)) {
      if (!is_source(entry.path())) continue;
      folders.insert(entry.path().parent_path().lexically_relative(kSource));
    }
  }
  return folders;
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

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

/// Whether one folder may include the other, directly or indirectly.
bool reaches(const std::string& from, const std::string& to, Names& seen) {
  const auto module = kModules.find(from);
  if (module == kModules.end() || !seen.insert(from).second) return false;
  for (const std::string& next : module->second) {
    if (next == to || reaches(next, to, seen)) return true;
  }
  return false;
}

/// The folders and headers that a cell of the table in docs/design.md names: "all of `cli/` but
/// `cli/a` and `cli/b`; `base`" stands for `base` and all folders in `cli` but these and `folder`.
/// A folder is one of "all of" it, but for those within it.
Names named_in(const std::string& cell, const std::string& folder) {
  static const std::regex name("(all of |but |and )?`([^`]+?)/?`");
  Names names;
  for (std::sregex_iterator it(cell.begin(), cell.end(), name), end; it != end; ++it) {
    const std::string before = (*it)[1], what = (*it)[2];
    if (before == "but " || before == "and ") {
      names.erase(what);
    } else if (before.empty()) {
      names.insert(what);
    } else {
      const bool is_within = folder == what || folder.starts_with(what + "/");
      if (!is_within && kModules.contains(what)) names.insert(what);
      for (const auto& [module, may] : kModules) {
        if (module.starts_with(what + "/") && module != folder) names.insert(module);
      }
    }
  }
  return names;
}

/// The table of folders in docs/design.md.
std::map<std::string, Names> documented_modules() {
  const std::string text = contents_of(kSource / "docs/design.md");
  const std::string table = text.substr(std::min(text.size(), text.find("\n| folder | holds |")));
  static const std::regex row(R"re(\n\| `([^`]+)/` \|[^|]*\|([^|\n]*)\|)re");
  std::map<std::string, Names> modules;
  for (std::sregex_iterator it(table.begin(), table.end(), row), end; it != end; ++it) {
    modules[(*it)[1]] = named_in((*it)[2], (*it)[1]);
  }
  modules.erase("base/json");  // Sources of a third party, which nothing includes.
  return modules;
}

TEST(Architecture, TheDesignSaysWhatEachFolderMayInclude) {
  const auto documented = documented_modules();
  for (const auto& [folder, may] : kModules) {
    ASSERT_TRUE(documented.contains(folder)) << folder << " is not in docs/design.md";
    EXPECT_EQ(documented.at(folder), may) << folder << " in docs/design.md";
  }
  EXPECT_EQ(documented.size(), kModules.size());
}

TEST(Architecture, EveryFolderIsInTheTable) {
  for (const std::string& folder : source_folders()) {
    EXPECT_TRUE(kModules.contains(folder)) << folder;
  }
}

TEST(Architecture, IncludesRunOneWay) {
  for (const auto& [module, may] : kModules) {
    const auto files = sources_in(module);
    ASSERT_FALSE(files.empty()) << module;
    Names used;
    for (const fs::path& file : files) {
      for (const Include& include : includes_of(file)) {
        if (!include.quoted) continue;
        const std::string folder = folder_of(include.path);
        if (folder == "sluice" || folder == module) continue;
        const std::string& way = may.contains(include.path) ? include.path : folder;
        EXPECT_TRUE(may.contains(way)) << file << " may not include " << include.path;
        used.insert(way);
      }
    }
    for (const std::string& way : may) {
      EXPECT_TRUE(used.contains(way)) << module << " does not include " << way << " any more";
    }
  }
}

TEST(Architecture, NoFolderIncludesItselfByWayOfOthers) {
  for (const auto& [module, may] : kModules) {
    Names seen;
    EXPECT_FALSE(reaches(module, module, seen)) << module;
  }
}

/// Whether the source holds a subcommand of `sluice` or a part of the configuration's schema: those
/// of a kind share one header.
bool shares_a_header(const fs::path& file) {
  static const std::string commands = contents_of(kSource / "cli/commands.h");
  static const std::string sections = contents_of(kSource / "config/schema_sections.h");
  const fs::path folder = file.parent_path();
  const std::string stem = file.stem();
  if (folder == kSource / "cli") return commands.find(" add_" + stem + "(") != commands.npos;
  std::smatch part;
  return folder == kSource / "config" &&
         std::regex_match(stem, part, std::regex("schema_(.+?)s?")) &&
         std::regex_search(sections, std::regex(" " + part.str(1) + "_sections?\\("));
}

TEST(Architecture, EverySourceHasAHeader) {
  Names without;
  for (const auto& [module, may] : kModules) {
    for (const fs::path& file : sources_in(module)) {
      const std::string stem = file.stem();
      if (file.extension() == ".h" || stem.ends_with("main") || shares_a_header(file)) continue;
      const bool is_public = kDefinePublic.contains(module) &&
                             (fs::exists(kSource / "include/sluice" / (stem + ".h")) ||
                              fs::exists(kSource / "include" / (stem + ".h")));
      if (is_public || fs::exists(fs::path(file).replace_extension(".h"))) continue;
      without.insert(file.lexically_relative(kSource));
    }
  }
  EXPECT_EQ(without, Names());
}

TEST(Architecture, ThirdPartiesStayWhereTheyBelong) {
  for (const auto& [module, may] : kModules) {
    for (const fs::path& file : sources_in(module)) {
      for (const Include& include : includes_of(file)) {
        const auto party = kThirdParties.find(first_folder(include.path));
        if (include.quoted || party == kThirdParties.end()) continue;
        EXPECT_TRUE(party->second.contains(module)) << file << " includes " << include.path;
      }
    }
  }
}

TEST(Architecture, AtMostTwoTranslationUnitsIncludeBeast) {
  std::set<fs::path> units;
  for (const auto& [module, may] : kModules) {
    for (const fs::path& file : sources_in(module)) {
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

TEST(Architecture, OfTheGovernorOnlyItsThreadsKnowThreadsAndClocks) {
  const std::regex impure(
      R"(::now\(|\bopen\(|std::(mutex|j?thread|condition_variable)|\bboost[:/]|yaml)");
  for (const auto& [folder, may] : kModules) {
    if (first_folder(folder) != "governor" || folder == "governor/threads") continue;
    for (const fs::path& file : sources_in(folder)) {
      const std::string text = contents_of(file);
      std::smatch found;
      EXPECT_FALSE(std::regex_search(text, found, impure)) << file << ": " << found.str();
    }
  }
}

TEST(Architecture, EveryHeaderIsGuardedOnce) {
  for (const auto& [module, may] : kModules) {
    for (const fs::path& file : sources_in(module)) {
      if (file.extension() != ".h") continue;
      EXPECT_TRUE(contents_of(file).starts_with("#pragma once\n")) << file;
    }
  }
}

/// The types that a file defines outside of anonymous namespaces and of other types.
std::set<std::string> types_defined_in(const fs::path& file) {
  static const std::regex line(
      R"(namespace( [\w:]+)? \{|\}  // namespace.*|(?:struct|class|enum class)(?: \[\[\w+\]\])? ([\w:]+)[^;]* \{.*)");
  std::set<std::string> types;
  std::vector<std::string> within;
  std::istringstream text(contents_of(file));
  std::smatch found;
  for (std::string each; std::getline(text, each);) {
    if (!std::regex_match(each, found, line)) continue;
    if (each.starts_with("}")) {
      within.pop_back();
    } else if (each.starts_with("namespace")) {
      within.push_back(found[1].matched ? found[1].str() + "::" : "");
    } else if (std::find(within.begin(), within.end(), "") == within.end()) {
      std::string name;
      for (const std::string& space : within) name += space;
      types.insert(name + found[2].str());
    }
  }
  return types;
}

/// Two types of one name in one program take each other's destructor, and no linker says so.
TEST(Architecture, EveryTypeIsDefinedOnce) {
  std::map<std::string, fs::path> places;
  for (const auto& [module, may] : kModules) {
    for (const fs::path& file : sources_in(module)) {
      for (const std::string& type : types_defined_in(file)) {
        const auto [place, is_first] = places.emplace(type, file);
        EXPECT_TRUE(is_first) << type << " is defined in " << place->second << " and " << file;
      }
    }
  }
  EXPECT_TRUE(places.contains(" sluice::MetricSample"));
}

/// It uses nothing itself, so a clean-up of unused includes empties it.
TEST(Architecture, ThePrecompiledHeaderHasTheStandardOnes) {
  const std::string text = contents_of(kSource / "cmake" / "precompiled" / "standard.h");
  for (const char* header :
       {"<algorithm>", "<chrono>", "<functional>", "<map>", "<string>", "<vector>"}) {
    EXPECT_NE(text.find("#include " + std::string(header)), text.npos) << header;
  }
}

}  // namespace
}  // namespace architecture
