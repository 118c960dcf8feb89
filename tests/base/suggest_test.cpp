#include "base/suggest.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Suggest, CountsInsertionsDeletionsReplacementsAndSwaps) {
  struct Case {
    std::string one, other;
    std::size_t distance;
  };
  for (const Case& c :
       {Case{"", "", 0}, Case{"", "abc", 3}, Case{"initial", "initial", 0},
        Case{"intial", "initial", 1}, Case{"initiall", "initial", 1}, Case{"imitial", "initial", 1},
        Case{"hodl", "hold", 1}, Case{"HOLD", "hold", 0}, Case{"kitten", "sitting", 3},
        Case{"ca", "abc", 3}, Case{"law", "cost", 4}}) {
    EXPECT_EQ(edit_distance(c.one, c.other), c.distance) << c.one << " " << c.other;
    EXPECT_EQ(edit_distance(c.other, c.one), c.distance) << c.other << " " << c.one;
  }
}

TEST(Suggest, NamesTheNearestWordThatIsNearEnough) {
  const std::vector<std::string> words{"load", "memory", "cpu_pressure", "io_pressure"};
  EXPECT_EQ(closest_word("laod", words), "load");
  EXPECT_EQ(closest_word("Memory", words), "memory");
  EXPECT_EQ(closest_word("cpu-pressure", words), "cpu_pressure");
  EXPECT_EQ(closest_word("oi_pressure", words), "io_pressure");
  EXPECT_EQ(closest_word("licences", words), std::nullopt);
  EXPECT_EQ(closest_word("", words), std::nullopt);
  EXPECT_EQ(closest_word(std::string(1000, 'm'), words), std::nullopt);
  EXPECT_EQ(closest_word("x", {"y"}), std::nullopt) << "nothing of the word is left";
}

TEST(Suggest, QuotesForeignTextOnOneLine) {
  EXPECT_EQ(quote_text("a b"), "`a b`");
  EXPECT_EQ(quote_text("a\n\tb\x1b[31m"), "`a??b?[31m`");
  EXPECT_EQ(quote_text(std::string(61, 'x')), "`" + std::string(60, 'x') + "…`");
  EXPECT_EQ(quote_text(std::string(59, 'x') + "äb"), "`" + std::string(59, 'x') + "…`")
      << "no half letter";
  EXPECT_EQ(quote_text("größe\x7F"), "`größe?`");
  EXPECT_EQ(quote_text("a\u202eb\xff"), "`a???b?`");
  EXPECT_EQ(quote_text(std::string(60, 'x')), "`" + std::string(60, 'x') + "`");
  std::string wide, nineteen;
  for (int i = 0; i < 30; ++i) {
    wide += "構";
    if (i < 19) nineteen += "構";
  }
  EXPECT_EQ(quote_text("a" + wide), "`a" + nineteen + "…`") << "58 of 91 bytes";
}

TEST(ThereAre, NamesAtMostTen) {
  EXPECT_EQ(there_are({}), "there is none");
  EXPECT_EQ(there_are({"a"}), "there is a");
  EXPECT_EQ(there_are({"a", "b"}), "there are a, b");
  EXPECT_EQ(there_are(std::vector<std::string>(11, "a")),
            "there are a, a, a, a, a, a, a, a, a, a, …");
}

TEST(UpperCase, ChangesTheLettersFromAToZOnly) {
  EXPECT_EQ(upper_case("az-AZ 0`{ é"), "AZ-AZ 0`{ é");
}

TEST(JoinWords, PutsACommaOrAnotherTextBetween) {
  const std::vector<std::string> words{"a", "b", "c"};
  EXPECT_EQ(join_words(words), "a, b, c");
  EXPECT_EQ(join_words(words, "|"), "a|b|c");
  EXPECT_EQ(join_words(std::vector<std::string>{"a"}, "|"), "a");
  EXPECT_EQ(join_words(std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace sluice
