#include "sensors/text.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Text, SaysBytesInTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(1024.0 * 1024 * 1024 - 1), "1.0 GiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(bytes_text(18446744073709551616.0), "16.0 EiB");
}

TEST(Text, SaysNumbersForPeople) {
  EXPECT_EQ(percent_text(0.125), "12.5%");
  EXPECT_EQ(number_text(40), "40");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(2.5, 2), "2.50");
  EXPECT_EQ(count_text(1, "task"), "1 task");
  EXPECT_EQ(count_text(0, "task"), "0 tasks");
}

TEST(Printable, KeepsUtf8AndReplacesEverythingElse) {
  EXPECT_EQ(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\nb\x7f\x1b[0m"), "a?b??[0m");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xff\xfe\x80"), "???");
  EXPECT_EQ(printable("\xc0\xaf"), "??");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(printable("\xe2\x82"), "??");
}

TEST(Printable, CutsWithoutSplittingACharacter) {
  EXPECT_EQ(printable("abcdef", 3), "abc");
  EXPECT_EQ(printable("ab\xe2\x82\xac", 4), "ab");
}

}  // namespace
}  // namespace sluice
