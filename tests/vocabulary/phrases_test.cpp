#include "vocabulary/phrases.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Phrases, QuoteACallersTextOnOneLineAndCutItBetweenCharacters) {
  EXPECT_EQ(in_quotes("größe"), "`größe`");
  EXPECT_EQ(in_quotes("a\nb\x7F"), "`a?b?`");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "`" + std::string(40, 'x') + "`");
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "`" + std::string(40, 'x') + "...`");
  std::string wide, thirteen;
  for (int i = 0; i < 20; ++i) {
    wide += "構";
    if (i < 13) thirteen += "構";
  }
  EXPECT_EQ(in_quotes(wide), "`" + thirteen + "...`") << "39 of 60 bytes";
}

}  // namespace
}  // namespace sluice
