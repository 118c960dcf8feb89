#include "base/utf8.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Utf8, MeasuresWellFormedSequences) {
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length(std::string_view("\0", 1)), 1u);
  EXPECT_EQ(utf8_length("\xc3\xa9 and more"), 2u);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3u);
  EXPECT_EQ(utf8_length("\xed\x9f\xbf"), 3u) << "the last before the surrogates";
  EXPECT_EQ(utf8_length("\xf0\x9f\x98\x80"), 4u);
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4u) << "U+10FFFF";
}

TEST(Utf8, FindsNoLengthInOtherBytes) {
  for (const std::string_view bad :
       {"", "\x80", "\xc3", "\xc3(", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xe2\x82",
        "\xe2\x28\xa1", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_length(bad), 0u) << ::testing::PrintToString(bad);
  }
}

TEST(Utf8, OfAWholeTextHasNoOtherByte) {
  for (const std::string_view good : {"", "plain", "\xc3\xa9 and more", "a\xe2\x82\xac"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const std::string_view bad : {"\xff",
                                     "a\xff"
                                     "b",
                                     "a\xe2\x82", "\xc3\xa9\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << ::testing::PrintToString(bad);
  }
}

TEST(Utf8, CutsBetweenSequences) {
  EXPECT_EQ(utf8_cut("plain", 9), "plain");
  EXPECT_EQ(utf8_cut("plain", 5), "plain");
  EXPECT_EQ(utf8_cut("plain", 2), "pl");
  EXPECT_EQ(utf8_cut("a\xe2\x82\xac!", 4), "a\xe2\x82\xac");
  EXPECT_EQ(utf8_cut("a\xe2\x82\xac!", 3), "a");
  EXPECT_EQ(utf8_cut("\xe2\x82\xac", 2), "");
}

}  // namespace
}  // namespace sluice
