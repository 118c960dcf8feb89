#include "cli/terminal/terminal.h"

#include <gtest/gtest.h>

#include <limits>

namespace sluice::cli {
namespace {

TEST(Bar, IsFilledInProportionAndNeverOverflows) {
  EXPECT_EQ(bar(0, 4), "[----]");
  EXPECT_EQ(bar(0.5, 4), "[##--]");
  EXPECT_EQ(bar(1, 4), "[####]");
  EXPECT_EQ(bar(100, 4), "[####]");
  EXPECT_EQ(bar(-1, 4), "[----]");
  EXPECT_EQ(bar(std::numeric_limits<double>::quiet_NaN(), 4), "[####]");
}

TEST(Columns, CountCharactersAndNotEscapesOrBytes) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("ä…"), 2u);
  EXPECT_EQ(columns_of("\x1b[31mred\x1b[0m"), 3u);
  EXPECT_EQ(padded("ä", 3), "ä  ");
  EXPECT_EQ(padded("abcd", 3), "abcd");
  EXPECT_EQ(padded_left("ä", 3), "  ä");
  EXPECT_EQ(padded_left("abcd", 3), "abcd");
}

TEST(Columns, AreTwoForWideCharactersAndNoneForMarks) {
  EXPECT_EQ(columns_of("構築"), 4u);
  EXPECT_EQ(columns_of("🚀"), 2u);
  EXPECT_EQ(columns_of("z\u0301\u0301\u0301"), 1u);
  EXPECT_EQ(columns_of("▁▂▃▄▅▆▇█"), 8u);
  EXPECT_EQ(columns_of("\xe6\xa7"), 1u);  // Truncated.
  EXPECT_EQ(cut("構築作業", 6), "構築…");
  EXPECT_EQ(cut("a構築作業", 4), "a構…");
  EXPECT_EQ(padded(cut("構築作業", 4), 4), "構… ");
  EXPECT_EQ(ascii("z\u0301構…"), "z??.");
}

TEST(Cut, NeverIsWiderThanAskedAndEndsItsColours) {
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("abcd", 4), "abcd");
  EXPECT_EQ(cut("abcdef", 0), "abcdef");
  const std::string red = cut("\x1b[31mabcdef\x1b[0m", 4);
  EXPECT_EQ(columns_of(red), 4u);
  EXPECT_TRUE(red.ends_with("\x1b[0m"));
}

TEST(Shortened, KeepsTheBeginAndTheEnd) {
  EXPECT_EQ(shortened("build-32107-1795901044395504955-5", 17), "build-32107…955-5");
  EXPECT_EQ(shortened("build-5", 7), "build-5");
  EXPECT_EQ(shortened("build-5", 0), "build-5");
  for (std::size_t columns = 1; columns < 20; ++columns) {
    EXPECT_LE(columns_of(shortened("構築作業-größe-構築作業-12", columns)), columns);
    EXPECT_EQ(columns_of(shortened("build-32107-1795901044395504955-5", columns)), columns);
  }
}

TEST(Broken, LosesNothing) {
  EXPECT_EQ(broken("/run/user/7/s.sock", 10), (std::vector<std::string>{"/run/user/", "7/s.sock"}));
  EXPECT_EQ(broken("/run", 4), std::vector<std::string>{"/run"});
  EXPECT_EQ(broken("/run", 0), std::vector<std::string>{"/run"});
  EXPECT_EQ(broken("構築", 3), (std::vector<std::string>{"構", "築"}));
}

TEST(Ascii, KeepsTheColumnsAndTheColours) {
  EXPECT_EQ(ascii("gr\u00f6\u00dfer\u2026"), "gr??er.");
  EXPECT_EQ(ascii("\x1b[31mr\u00f6t\x1b[0m"), "\x1b[31mr?t\x1b[0m");
  EXPECT_EQ(ascii(""), "");
}

TEST(Harmless, NothingForeignReachesTheTerminalButText) {
  EXPECT_EQ(harmless("plain ä… text"), "plain ä… text");
  EXPECT_EQ(harmless("a\nb\x1b[31mRED\x7f\t"), "a?b?[31mRED??");
  EXPECT_EQ(harmless(std::string("nul\0", 4)), "nul?");
  EXPECT_EQ(harmless("\xff\xfex \xc3"), "??x ?");
  EXPECT_EQ(harmless("\xc2\x9b"
                     "31m"),
            "??31m");
}

TEST(Harmless, EveryByteThatIsNoUtf8IsAQuestionMark) {
  struct Case {
    std::string_view text, expected;
  };
  const Case cases[] = {
      {"\xed\x9f\xbf", "\xed\x9f\xbf"},  // U+D7FF, the last before the surrogates.
      {"\xed\xa0\x80", "???"},           // Surrogates.
      {"\xed\xbf\xbf", "???"},
      {"\xee\x80\x80", "\xee\x80\x80"},  // U+E000, the first after them.
      {"\xc0\x80", "??"},                // Overlong.
      {"\xc1\xbf", "??"},
      {"\xe0\x80\x80", "???"},
      {"\xe0\x9f\xbf", "???"},
      {"\xe0\xa0\x80", "\xe0\xa0\x80"},  // U+0800
      {"\xf0\x80\x80\x80", "????"},
      {"\xf0\x8f\xbf\xbf", "????"},
      {"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"},  // U+10000
      {"\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"},  // U+10FFFF
      {"\xf4\x90\x80\x80", "????"},              // Above the maximum.
      {"\xf5\x80\x80\x80", "????"},
      {"\xff", "?"},
      {"\x80z", "?z"},  // A continuation byte.
      {"\xc3", "?"},    // Truncated.
      {"\xc3z", "?z"},
      {"\xe2\x80", "??"},
      {"\xe2\x80z", "??z"},
      {"\xf0\x9f\x98", "???"},
      {"\xf0\x9f\x98z", "???z"},
      {"\xc2\x9f", "??"},        // The last control character.
      {"\xc2\xa0", "\xc2\xa0"},  // U+00A0
      {"a\u202egnp.exe", "a???gnp.exe"},
  };
  for (const Case& each : cases) EXPECT_EQ(harmless(each.text), each.expected);
}

TEST(Painted, OnlyWhereColoursAreWanted) {
  EXPECT_EQ(painted(Style{}, Colour::red, "x"), "x");
  EXPECT_EQ(painted(Style{true, 80, 24}, Colour::red, "x"), "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace sluice::cli
