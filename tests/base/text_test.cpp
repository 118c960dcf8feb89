#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "base/parse.h"

namespace sluice {
namespace {

TEST(Text, SaysBytesInTheUnitThatFits) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(1024.0 * 1024 * 1024 - 1), "1.0 GiB");
  EXPECT_EQ(bytes_text(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(bytes_text(18446744073709551616.0), "16.0 EiB");
  EXPECT_EQ(bytes_text(1023), "1023 B");
  EXPECT_EQ(bytes_text(1024), "1.0 KiB");
  EXPECT_EQ(bytes_text(99.5 * 1024 * 1024), "99.5 MiB");
  EXPECT_EQ(bytes_text(2000.0 * 1024 * 1024), "2.0 GiB");
  EXPECT_EQ(bytes_text(3e15), "2.7 PiB");
  EXPECT_EQ(bytes_text(Bytes{812u << 20}), "812.0 MiB");
  EXPECT_EQ(bytes_text(1.53 * 1024 * 1024 * 1024, 2), "1.53 GiB");
  EXPECT_EQ(bytes_text(512, 2), "512 B");
}

TEST(Text, SaysNumbersForPeople) {
  EXPECT_EQ(percent_text(0.125), "12.5%");
  EXPECT_EQ(number_text(40), "40");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(2.5, 2), "2.50");
  EXPECT_EQ(count_text(1, "task"), "1 task");
  EXPECT_EQ(count_text(0, "task"), "0 tasks");
  EXPECT_EQ(cpus_text(1), "1 CPU");
  EXPECT_EQ(cpus_text(0.5), "0.5 CPUs");
  EXPECT_EQ(cpus_text(2.0 / 3), "0.67 CPUs");
  EXPECT_EQ(hex_digits(std::array<unsigned char, 3>{0, 0x1f, 0xf1}), "001ff1");
}

TEST(DurationText, ShowsUnitsThatFit) {
  EXPECT_EQ(duration_text(-1), "0.0 s");
  EXPECT_EQ(duration_text(0.44), "0.4 s");
  EXPECT_EQ(duration_text(59.96), "1 min 00 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(7380), "2 h 03 min");
  EXPECT_EQ(duration_text(std::chrono::minutes(90)), "1 h 30 min");
}

TEST(DurationText, IsAsPreciseAsIsAskedFor) {
  EXPECT_EQ(duration_text(12.4, Precision::seconds), "12 s");
  EXPECT_EQ(duration_text(59.6, Precision::seconds), "1 min 00 s");
  EXPECT_EQ(duration_text(0.01, Precision::seconds_up), "1 s");
  EXPECT_EQ(duration_text(59.1, Precision::seconds_up), "1 min 00 s");
  EXPECT_EQ(duration_text(10790, Precision::seconds_up), "3 h 00 min") << "no less than is left";
  EXPECT_EQ(duration_text(7260, Precision::seconds_up), "2 h 01 min");
  EXPECT_EQ(duration_text(0.34, Precision::milliseconds), "340 ms");
  EXPECT_EQ(duration_text(0.9996, Precision::milliseconds), "1.0 s");
  EXPECT_EQ(duration_text(245, Precision::milliseconds), "4 min 05 s");
}

TEST(LastLineOf, IsTheLastThatIsNotBlank) {
  EXPECT_EQ(last_line_of("one\n  two \r\n\n"), "two");
  EXPECT_EQ(last_line_of("one"), "one");
  EXPECT_EQ(last_line_of(" \n"), "");
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

TEST(Printable, KeepsNoControlThatIsWellFormedUtf8) {
  for (const char* control :
       {"\u0080", "\u0085", "\u009b", "\u009f", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029",
        "\u202a", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    EXPECT_EQ(printable(control), std::string(std::string_view(control).size(), '?'));
  }
  for (const char* text : {"\u00a0", "\u061b", "\u061d", "\u200d", "\u2010", "\u2027", "\u202f",
                           "\u2065", "\u206a", "\u05e9"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Escaped, TellsWhichBytesItDoesNotShow) {
  EXPECT_EQ(escaped("caf\xc3\xa9 \xe2\x82\xac"), "caf\xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(escaped("a\xff"
                    "b\x1b[31m\n"),
            R"(a\xffb\x1b[31m\x0a)");
  EXPECT_EQ(escaped("\u009b\u202e"), R"(\xc2\x9b\xe2\x80\xae)");
  EXPECT_EQ(escaped(R"(\xff)"), R"(\\xff)");
  EXPECT_EQ(escaped(""), "");
}

TEST(EnvironmentText, IsEmptyForAVariableThatIsNotSet) {
  constexpr const char* kName = "SLUICE_TEST_OF_ENVIRONMENT_TEXT";
  setenv(kName, "its value", 1);
  EXPECT_EQ(environment_text(kName), "its value");
  unsetenv(kName);
  EXPECT_EQ(environment_text(kName), "");
}

TEST(Printable, CutsWithoutSplittingACharacter) {
  EXPECT_EQ(printable("abcdef", 3), "abc");
  EXPECT_EQ(printable("ab\xe2\x82\xac", 4), "ab");
}

}  // namespace
}  // namespace sluice
