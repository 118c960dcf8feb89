// Small files designed to be expensive.
#include <gtest/gtest.h>

#include <chrono>

#include "config/document.h"
#include "config_tests/parse.h"
#include "repetitions.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

std::string repeat(const std::string& text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST(HostileDocument, DeepNestingIsAnError) {
  const std::string deep = "nested deeper than 32 levels";
  EXPECT_EQ(errors_of(repeat("[", 10000) + repeat("]", 10000)), Errors{"f:1:33: " + deep});
  EXPECT_EQ(errors_of(repeat("{a: ", 10000) + repeat("}", 10000)), Errors{"f:1:129: " + deep});
  for (const std::string open : {"[", "{", "{a: ", "[[", "&a [", "? ", "- ? "}) {
    EXPECT_EQ(errors_of(repeat(open, 10000)).size(), 1u) << open;
  }
  EXPECT_EQ(errors_of(repeat("- ", 10000)), Errors{"f:1:65: " + deep});
  EXPECT_EQ(errors_of("a: " + repeat("[", 31) + repeat("]", 31)),
            Errors{"f:1:1: unknown key `a`; known here: window, sensors, contention, queues, "
                   "resources, keys, rules, cost, memory, service, metrics, state_dir, "
                   "work_sources, build, autoscale"});
}

TEST(HostileDocument, AliasesDoNotNestWithoutEnd) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i <= 40; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  EXPECT_EQ(errors_of(text), Errors{"f:31:12: nested deeper than 32 levels"});
}

TEST(HostileDocument, AliasesDoNotUnfoldIntoAHugeTree) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before +
            repeat(", " + before, 9) + "]\n";
  }
  const Errors errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("more than 20000 values or 2 MiB of text"), std::string::npos);
}

TEST(HostileDocument, AliasesDoNotCopyALongTextOften) {
  const std::string text =
      "a: &a " + std::string(500000, 'x') + "\nb: [*a" + repeat(", *a", 1000) + "]\n";
  const Errors errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("2 MiB of text"), std::string::npos);
}

TEST(HostileDocument, ManyErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const Errors errors = errors_of(text);
  ASSERT_EQ(errors.size(), 101u);
  EXPECT_TRUE(errors[99].starts_with("f:100:1: unknown key `key99`")) << errors[99];
  EXPECT_EQ(errors[100], "f: 4900 more errors");
}

TEST(HostileDocument, OneMebibyteIsTheMost) {
  const std::string fits = "#" + std::string(kMostConfigBytes - 1, 'x');
  EXPECT_TRUE(errors_of(fits).empty());
  EXPECT_EQ(errors_of(fits + "x"), Errors{"f: the file is larger than 1048576 bytes"});
}

TEST(HostileDocument, AMebibyteOfAnythingIsSoonRead) {
  for (const std::string piece :
       {"[",  "{",      "- ",   "? ",  "a: ",  "&a ",    "!a ",   "[a,",   "{a: ",
        "\"", "'",      "]",    "*a ", "a\n",  "a: b\n", "- a\n", " ",     "#",
        "%",  "--- \n", "|",    "[{",  "a: [", "\n ",    "\t",    ",",     ":",
        "-",  "[]:",    "{}: ", "x",   "\\",   "&a [",   ">\n",   "...\n", "? - "}) {
    const std::string text = repeat(piece, repetitions(kMostConfigBytes / piece.size()));
    const auto start = std::chrono::steady_clock::now();
    parse_config(text, "f", 2);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)) << piece;
  }
}

}  // namespace
}  // namespace sluice
