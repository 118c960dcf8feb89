#include "sluice/locks.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice {
namespace {

using Names = std::vector<std::string>;

LevelLocks locks_of(std::string_view text) {
  auto parsed = parse_locks("node", text);
  const auto* problem = std::get_if<std::string>(&parsed);
  EXPECT_EQ(problem, nullptr) << text << ": " << (problem != nullptr ? *problem : "");
  return problem != nullptr ? LevelLocks{} : std::get<LevelLocks>(parsed);
}

std::string problem_of(std::string_view text) {
  const auto parsed = parse_locks("node", text);
  const auto* problem = std::get_if<std::string>(&parsed);
  return problem != nullptr ? *problem : "";
}

TEST(Locks, OfEachModeComeBackAsTheyAreWritten) {
  for (const std::string text :
       {"none", "shared:a", "shared:a,b", "exclusive:i1,i2", "unknown-shared", "all-shared",
        "unknown-exclusive", "all-exclusive", "shared:a,b exclusive:c",
        "shared:a exclusive:b unknown-shared all-shared unknown-exclusive all-exclusive"}) {
    EXPECT_EQ(to_text(locks_of(text)), text);
    EXPECT_EQ(locks_of(text).level, "node");
  }
}

TEST(Locks, OfSeveralModesAreTheirUnion) {
  const LevelLocks locks = locks_of(" exclusive:c  shared:b,a\tunknown-shared shared:a none ");
  EXPECT_EQ(locks.shared, (Names{"a", "b"})) << "names collapse and are sorted";
  EXPECT_EQ(locks.exclusive, Names{"c"});
  EXPECT_TRUE(locks.unknown_shared);
  EXPECT_FALSE(locks.all_shared || locks.unknown_exclusive || locks.all_exclusive);
}

TEST(Locks, OfAnEmptySetAreNone) {
  for (const std::string text : {"shared:", "exclusive:", "shared: exclusive:", "none none"}) {
    EXPECT_EQ(to_text(locks_of(text)), "none") << text;
  }
}

TEST(Locks, SayWhatIsWrong) {
  const std::string modes =
      "the mode must be none, shared:a,b, unknown-shared, all-shared, exclusive:a,b, "
      "unknown-exclusive or all-exclusive, and not ";
  EXPECT_EQ(problem_of("exclusiv:a"), modes + "`exclusiv:a`");
  EXPECT_EQ(problem_of("None"), modes + "`None`");
  EXPECT_EQ(problem_of("all-shared:a"), modes + "`all-shared:a`");
  EXPECT_EQ(problem_of("shared"), modes + "`shared`");
  EXPECT_EQ(problem_of(std::string(100'000, 'x')), modes + "`" + std::string(60, 'x') + "…`");
  EXPECT_EQ(problem_of("shar\ned"), modes + "`shar?ed`") << "a message is one line";
  for (const std::string text : {"", "  "}) {
    EXPECT_EQ(problem_of(text), "there must be a mode, such as none or unknown-shared");
  }
  for (const std::string text : {"shared:,a", "shared:a,,b", "shared:a,", "shared:,"}) {
    EXPECT_EQ(problem_of(text), "a name must not be empty") << text;
  }
  EXPECT_EQ(problem_of("shared:" + std::string(256, 'n')), "a name must have at most 255 bytes");
  EXPECT_EQ(problem_of("shared:a\x01"),
            "a name must not have control characters, blanks or commas");
}

TEST(Locks, HaveAtMostAThousandNames) {
  const auto names = [](char front, int count) {
    std::string text(1, front);
    for (int i = 1; i < count; ++i) text += "," + std::string(1, front) + std::to_string(i);
    return text;
  };
  const std::string most = "there must be at most 1000 names";
  EXPECT_EQ(locks_of("shared:" + names('n', 1000)).shared.size(), 1000u);
  EXPECT_EQ(problem_of("shared:" + names('n', 1001)), most);
  EXPECT_EQ(problem_of("shared:" + names('n', 100'000)), most);
  EXPECT_EQ(problem_of("shared:" + names('n', 600) + " exclusive:" + names('m', 401)), most);
}

TEST(Locks, NamesAreOneWordOfAtMost255Bytes) {
  for (const std::string& name : {std::string("a"), std::string("vm-1.example"), std::string("ä{}"),
                                  std::string("a:b"), std::string(255, 'n')}) {
    EXPECT_EQ(problem_of_name(name), "") << name;
  }
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a,b"),
                                  std::string("a\n"), std::string("\x7f"), std::string(256, 'n')}) {
    EXPECT_NE(problem_of_name(name), "") << name;
  }
}

TEST(Locks, AreTheSameAfterWritingAndReading) {
  std::mt19937_64 random(9);
  const Names names{"a", "b", "vm-1", "x.y", "none"};
  for (int round = 0; round < 2000; ++round) {
    LevelLocks locks;
    locks.level = "node";
    for (const std::string& name : names) {
      if (random() % 3 == 0) locks.shared.push_back(name);
      if (random() % 3 == 0) locks.exclusive.push_back(name);
    }
    for (Names* list : {&locks.shared, &locks.exclusive}) std::sort(list->begin(), list->end());
    locks.unknown_shared = random() % 2 == 0;
    locks.all_shared = random() % 2 == 0;
    locks.unknown_exclusive = random() % 2 == 0;
    locks.all_exclusive = random() % 2 == 0;
    EXPECT_EQ(locks_of(to_text(locks)), locks) << to_text(locks);
  }
}

TEST(Locks, GarbageIsADeclarationThatComesBackOrHasAReason) {
  std::mt19937_64 random(12);
  const Names pieces{"shared:", "exclusive:", "unknown-", "all-shared", "none",
                     ",",       " ",          "a",        "\t",         std::string(1, '\0')};
  int good = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (auto count = random() % 8; count > 0; --count) {
      if (random() % 10 == 0) text += static_cast<char>(random() % 256);
      text += pieces[random() % pieces.size()];
    }
    const auto parsed = parse_locks("node", text);
    if (const auto* locks = std::get_if<LevelLocks>(&parsed)) {
      ASSERT_EQ(locks_of(to_text(*locks)), *locks) << text;
      ++good;
    } else {
      ASSERT_NE(problem_of(text), "") << text;
    }
  }
  EXPECT_GT(good, 1000);
}

}  // namespace
}  // namespace sluice
