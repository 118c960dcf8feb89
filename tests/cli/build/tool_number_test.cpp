#include "cli/build/tool_number.h"

#include <gtest/gtest.h>

#include <map>

namespace sluice::cli {
namespace {

using Words = std::vector<std::string>;
using Variables = std::map<std::string, std::string>;

struct Known {
  BuildTool tool;
  ToolNumber number;
};

/// `ninja`: its version. `cache`: CMakeCache.txt of the folder "out".
Known known(const Words& words, const Variables& variables = {}, jobserver::Version ninja = {1, 11},
            const std::string& cache = "") {
  const auto variable = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  const auto contents = [&](const std::string& path) {
    return path == "out/CMakeCache.txt" ? cache : "";
  };
  const auto version = [&](const std::string&) { return std::optional(ninja); };
  BuildTool tool = build_tool(words, {contents, version});
  ToolNumber number = tool_number(words, tool, variable);
  return {std::move(tool), std::move(number)};
}

const std::string kNinjaCache =
    "CMAKE_BUILD_TYPE:STRING=\nCMAKE_GENERATOR:INTERNAL=Ninja\n"
    "CMAKE_MAKE_PROGRAM:FILEPATH=/opt/ninja\n";
const std::string kMakeCache = "CMAKE_GENERATOR:INTERNAL=Unix Makefiles\n";

std::string only_warning(const Known& it) {
  EXPECT_EQ(it.number.warnings.size(), 1u);
  return it.number.warnings.empty() ? "" : it.number.warnings[0];
}

bool begins(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

TEST(ToolNumber, WithoutANumberTokensDecide) {
  for (const Words& words :
       {Words{"make", "all"}, Words{"/usr/bin/gmake"}, Words{"cargo", "build"}, Words{"./build.sh"},
        Words{"make", "-k", "-C", "j8"}, Words{"cmake", "--build", "out"}, Words{}}) {
    const Known it = known(words);
    EXPECT_TRUE(it.number.warnings.empty());
    EXPECT_FALSE(it.number.asked);
    EXPECT_FALSE(it.number.is_own);
  }
}

TEST(ToolNumber, OfMakeAndNinjaIsTheirOwnAndSaid) {
  for (const Words& words : {Words{"make", "-j8"}, Words{"make", "-j", "8"}, Words{"make", "-kj8"},
                             Words{"make", "--jobs=8"}, Words{"ninja", "-C", "out", "-j8"}}) {
    const Known it = known(words, {}, {1, 13});
    EXPECT_EQ(it.number.asked, 8u);
    EXPECT_TRUE(it.number.is_own);
    EXPECT_NE(only_warning(it).find("run that many jobs and ignore tokens"), std::string::npos);
  }
  EXPECT_TRUE(begins(only_warning(known({"make", "-j", "8"})), "-j 8 makes make run"));
  const Known unlimited = known({"make", "-j"});
  EXPECT_FALSE(unlimited.number.asked);
  EXPECT_TRUE(unlimited.number.is_own);
}

TEST(ToolNumber, StaysWhereJobsAreHeldAndIsSaid) {
  const auto none = [](const char*) -> const char* { return nullptr; };
  const BuildTool make{.name = "make", .kind = jobserver::ClientKind::make, .program = "make"};
  const ToolNumber eight = tool_number({"make", "-j8"}, make, none, TokenMeaning::place);
  EXPECT_EQ(eight.asked, 8u);
  EXPECT_EQ(
      eight.warnings,
      Words{"-j8 stays in effect: make starts at most 8 at once, and each is held until it fits"});
  const ToolNumber all = tool_number({"make", "-j"}, make, none, TokenMeaning::place);
  EXPECT_EQ(
      all.warnings,
      Words{
          "-j stays in effect: make starts all its jobs at once, and each is held until it fits"});
}

TEST(ToolNumber, OfCargoIsACapOnItsTokens) {
  const Known it = known({"cargo", "build", "-j6"});
  EXPECT_EQ(it.number.asked, 6u);
  EXPECT_FALSE(it.number.is_own);
  EXPECT_TRUE(it.number.warnings.empty());
  EXPECT_EQ(known({"cargo", "build"}, {{"CARGO_BUILD_JOBS", "3"}}).number.asked, 3u);
  EXPECT_FALSE(known({"make"}, {{"CARGO_BUILD_JOBS", "3"}}).number.asked);
}

TEST(ToolNumber, InMakeflagsIsACapBecauseTheCommandDoesNotGetIt) {
  const Known it = known({"make"}, {{"MAKEFLAGS", "-j5"}});
  EXPECT_EQ(it.number.asked, 5u);
  EXPECT_FALSE(it.number.is_own);
  EXPECT_TRUE(it.number.warnings.empty());
}

TEST(ToolNumber, OfAnOlderNinjaIsItsOwnAndSaid) {
  const Known older = known({"ninja", "-C", "out"});
  EXPECT_TRUE(older.number.is_own);
  EXPECT_TRUE(begins(only_warning(older), "ninja 1.11 takes no tokens")) << only_warning(older);
  const Known newer = known({"ninja", "-C", "out"}, {}, {1, 13});
  EXPECT_FALSE(newer.number.is_own);
  EXPECT_TRUE(newer.number.warnings.empty());
}

TEST(ToolNumber, OfANinjaThatIsToldOfDescriptorsIsItsOwnAndSaid) {
  const auto none = [](const char*) -> const char* { return nullptr; };
  const BuildTool newer{.name = "ninja 1.13",
                        .kind = jobserver::ClientKind::ninja,
                        .program = "ninja",
                        .version = jobserver::Version{1, 13}};
  const Words words{"ninja"};
  EXPECT_FALSE(tool_number(words, told_by(newer, jobserver::AuthStyle::fifo), none).is_own);
  const BuildTool told = told_by(newer, jobserver::AuthStyle::pipe);
  for (const TokenMeaning meaning : {TokenMeaning::permit, TokenMeaning::place}) {
    const ToolNumber number = tool_number(words, told, none, meaning);
    EXPECT_TRUE(number.is_own);
    ASSERT_EQ(number.warnings.size(), 1u);
    EXPECT_TRUE(begins(number.warnings[0], "ninja 1.13 takes no tokens and uses its own number"));
    EXPECT_NE(number.warnings[0].find("; it takes them only from a fifo"), std::string::npos);
  }
  const BuildTool make{.name = "make", .kind = jobserver::ClientKind::make, .program = "make"};
  EXPECT_TRUE(told_by(make, jobserver::AuthStyle::pipe).takes_tokens);
}

TEST(ToolNumber, BelowCmakeIsThatOfItsGenerator) {
  const Words words{"cmake", "--build", "out"};
  const Known ninja = known(words, {}, {1, 11}, kNinjaCache);
  EXPECT_EQ(ninja.tool.kind, jobserver::ClientKind::ninja);
  EXPECT_EQ(ninja.tool.program, "/opt/ninja");
  EXPECT_TRUE(ninja.number.is_own);
  EXPECT_FALSE(known(words, {}, {1, 13}, kNinjaCache).number.is_own);
  const Known make = known(words, {}, {1, 11}, kMakeCache);
  EXPECT_EQ(make.tool.kind, jobserver::ClientKind::make);
  EXPECT_FALSE(make.number.is_own);
}

TEST(ToolNumber, GivenToCmakeBecomesThatOfItsTool) {
  for (const Words& words :
       {Words{"cmake", "--build", "out", "--parallel", "7"},
        Words{"cmake", "--build", "out", "-j7"}, Words{"cmake", "--build", "out", "-j", "7"},
        Words{"cmake", "--build", "out", "--", "-j7"}}) {
    const Known it = known(words, {}, {1, 11}, kMakeCache);
    EXPECT_EQ(it.number.asked, 7u);
    EXPECT_TRUE(it.number.is_own);
    EXPECT_NE(only_warning(it).find("makes make below cmake run"), std::string::npos);
  }
  const Known by_variable =
      known({"cmake", "--build", "out"}, {{"CMAKE_BUILD_PARALLEL_LEVEL", "4"}}, {}, kMakeCache);
  EXPECT_EQ(by_variable.number.asked, 4u);
  EXPECT_TRUE(begins(only_warning(by_variable), "CMAKE_BUILD_PARALLEL_LEVEL=4 makes make"));
}

TEST(ToolNumber, OfSeveralIsTheLast) {
  const Known make = known({"make", "-j", "2", "-s", "-j", "6"});
  EXPECT_EQ(make.number.asked, 6u);
  EXPECT_TRUE(begins(only_warning(make), "-j 6 makes make run"));
  const Words below{"cmake", "--build", "out", "-j2", "--", "-j6"};
  EXPECT_EQ(known(below, {}, {1, 11}, kMakeCache).number.asked, 6u);
}

TEST(ToolNumber, OfAnotherProgramBesideTheToolIsNotTheTools) {
  const Words tests{"cmake", "-B", "out", "-j3", ";",     "cmake", "--build", "out",
                    ";",     "cd", "out", ";",   "ctest", "-j8",   ";"};
  const Known make = known(tests, {}, {1, 11}, kMakeCache);
  EXPECT_FALSE(make.number.is_own);
  EXPECT_FALSE(make.number.asked);
  EXPECT_TRUE(make.number.warnings.empty());
  const Known ninja =
      known({"cmake", "--build", "out", ";", "pytest", "-j4", ";"}, {}, {1, 13}, kNinjaCache);
  EXPECT_FALSE(ninja.number.is_own);
  EXPECT_TRUE(ninja.number.warnings.empty());
  const Words second{"cmake",   "--build", "out", ";", "ctest", "-j8",   ";",  "cmake",
                     "--build", "out",     "-j",  "5", ";",     "ctest", "-j9"};
  EXPECT_EQ(known(second, {}, {1, 11}, kMakeCache).number.asked, 5u);
}

TEST(ToolNumber, WithoutANumberOfItsOwnBelowCmakeIsAllJobsOnlyOfMake) {
  for (const std::string option : {"-j", "--parallel"}) {
    const Words words{"cmake", "--build", "out", option};
    const Known ninja = known(words, {{"CMAKE_BUILD_PARALLEL_LEVEL", "4"}}, {1, 13}, kNinjaCache);
    EXPECT_FALSE(ninja.number.is_own) << "it takes tokens";
    EXPECT_FALSE(ninja.number.asked);
    EXPECT_TRUE(ninja.number.warnings.empty());
    const Known older = known(words, {}, {1, 11}, kNinjaCache);
    EXPECT_TRUE(begins(only_warning(older), "ninja 1.11 takes no tokens")) << only_warning(older);
    EXPECT_TRUE(known(words, {}, {1, 13}, kMakeCache).number.is_own);
  }
}

TEST(ToolNumber, ALoadLimitIsWarnedOf) {
  EXPECT_TRUE(begins(only_warning(known({"make"}, {{"MAKEFLAGS", "k -l4"}})),
                     "-l4 in MAKEFLAGS makes make wait for the load average"));
  EXPECT_TRUE(begins(only_warning(known({"make", "-l", "4"})), "-l makes make wait"));
  EXPECT_TRUE(
      begins(only_warning(known({"make", "--max-load=3"})), "--max-load=3 makes make wait"));
  EXPECT_TRUE(known({"cargo", "build"}, {{"MAKEFLAGS", "-l4"}}).number.warnings.empty());
  EXPECT_TRUE(known({"make", "-lib"}).number.warnings.empty());
  EXPECT_TRUE(known({"make", ";", "ls", "-l", ";"}).number.warnings.empty()) << "no load of make's";
}

TEST(ToolNumber, AsManyMayWaitAsTwiceTheCpusAndFour) {
  EXPECT_EQ(most_waiting_jobs(2), 8u);
  EXPECT_EQ(most_waiting_jobs(2.4), 9u);
  EXPECT_EQ(most_waiting_jobs(0.1), 5u);
}

}  // namespace
}  // namespace sluice::cli
