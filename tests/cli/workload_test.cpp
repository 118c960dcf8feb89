#include "cli/workload.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using Words = std::vector<std::string>;

TEST(SplitCommand, FollowsTheCompileDatabaseFormat) {
  const struct {
    const char* command;
    Words words;
  } rows[] = {
      {"", {}},
      {"  g++  -c\tx.cpp ", {"g++", "-c", "x.cpp"}},
      {R"(g++ -DNAME=\"a\ b\" x.cpp)", {"g++", R"(-DNAME="a b")", "x.cpp"}},
      {R"(g++ "-DNAME=a b" 'x y.cpp')", {"g++", "-DNAME=a b", "x y.cpp"}},
      {R"(g++ '-DA="\"')", {"g++", R"(-DA="\")"}},
      {R"(g++ "" x)", {"g++", "", "x"}},
      {R"(ends with \)", {"ends", "with", "\\"}},
  };
  for (const auto& row : rows) EXPECT_EQ(split_command(row.command), row.words) << row.command;
}

TEST(CompileDatabase, ObjectsAndDependencyFilesGoToTheGivenFolder) {
  const auto workload = from_compile_commands(
      R"([{"directory": "/b", "file": "/src/governor/window.cpp",
           "command": "g++ -MF obj/w.o.d -o obj/w.o -c /src/governor/window.cpp"},
          {"directory": "/b", "file": "x.cpp", "arguments": ["g++", "-o", "x.o", "x.cpp"]}])",
      "/tmp/t");
  const auto& items = std::get<std::vector<WorkItem>>(workload);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].name, "governor/window.cpp");
  EXPECT_EQ(items[0].directory, "/b");
  EXPECT_EQ(items[0].argv, (Words{"g++", "-MF", "/tmp/t/1.o.d", "-o", "/tmp/t/1.o", "-c",
                                  "/src/governor/window.cpp"}));
  EXPECT_EQ(items[1].argv, (Words{"g++", "-o", "/tmp/t/2.o", "x.cpp"}));
}

TEST(CompileDatabase, WhatIsWrongIsSaidWithTheEntry) {
  const struct {
    const char* text;
    const char* error;
  } rows[] = {
      {"{}", "is not a compile database: expected a JSON array"},
      {"[]", "has no entries"},
      {"[1]", "entry 1 is not an object"},
      {R"([{"file": "x"}])", "entry 1 lacks `file` or `directory`"},
      {R"([{"file": "x", "directory": "/"}])", "entry 1 has neither `command` nor `arguments`"},
  };
  for (const auto& row : rows) {
    const auto workload = from_compile_commands(row.text, "/tmp");
    ASSERT_TRUE(std::holds_alternative<std::string>(workload)) << row.text;
    EXPECT_EQ(std::get<std::string>(workload), row.error);
  }
  const auto broken = from_compile_commands("[", "/tmp");
  EXPECT_TRUE(std::get<std::string>(broken).starts_with("is not JSON: "));
}

TEST(Lines, BlankOnesAndCommentsAreLeftOut) {
  const auto workload = from_lines("\n# a comment\n  make a\r\nmake b");
  const auto& items = std::get<std::vector<WorkItem>>(workload);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].name, "make a");
  EXPECT_EQ(items[1].argv, (Words{"/bin/sh", "-c", "make b"}));
  EXPECT_EQ(std::get<std::string>(from_lines("# nothing\n")), "has no commands");
}

TEST(Repeated, StartsAgainWithObjectsOfTheirOwn) {
  const std::vector<WorkItem> items{{"a", {"g++", "-o", "1.o"}, ""}, {"b", {"true"}, ""}};
  const auto five = repeated(items, 5);
  ASSERT_EQ(five.size(), 5u);
  EXPECT_EQ(five[0].argv.back(), "1.o");
  EXPECT_EQ(five[2].argv.back(), "1.o.1");
  EXPECT_EQ(five[4].argv.back(), "1.o.2");
  EXPECT_EQ(five[3].argv.back(), "true");
  EXPECT_EQ(repeated(items, 1).size(), 1u);
}

}  // namespace
}  // namespace sluice::cli
