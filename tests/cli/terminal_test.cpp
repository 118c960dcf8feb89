#include "cli/terminal.h"

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
}

TEST(Cut, NeverIsWiderThanAskedAndEndsItsColours) {
  EXPECT_EQ(cut("abcdef", 4), "abc…");
  EXPECT_EQ(cut("abcd", 4), "abcd");
  EXPECT_EQ(cut("abcdef", 0), "abcdef");
  const std::string red = cut("\x1b[31mabcdef\x1b[0m", 4);
  EXPECT_EQ(columns_of(red), 4u);
  EXPECT_TRUE(red.ends_with("\x1b[0m"));
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

TEST(Painted, OnlyWhereColoursAreWanted) {
  EXPECT_EQ(painted(Style{}, Colour::red, "x"), "x");
  EXPECT_EQ(painted(Style{true, 80, 24}, Colour::red, "x"), "\x1b[31mx\x1b[0m");
}

TEST(DurationText, ShowsUnitsThatFit) {
  EXPECT_EQ(duration_text(-1), "0.0 s");
  EXPECT_EQ(duration_text(0.44), "0.4 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(7380), "2 h 03 min");
}

}  // namespace
}  // namespace sluice::cli
