#include <gtest/gtest.h>

#include "metrics/families.h"

namespace sluice {
namespace {

using namespace std::string_view_literals;

struct Case {
  std::string_view raw;
  std::string_view expected;
};

TEST(LabelValue, KeepsWellFormedTextAndSpellsOutOtherBytes) {
  const Case cases[] = {
      {"", ""},
      {"/var/lib", "/var/lib"},
      {"a\"b\\c\nd", "a\"b\\c\nd"},
      {"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80",
       "gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80"},
      {"a\0b"sv, "a\\x00b"},
      {"\t\r\x7F", "\\x09\\x0d\\x7f"},
      {"\xFF", "\\xff"},
      {"\x80", "\\x80"},
      {"\xC3", "\\xc3"},
      {"\xC3(", "\\xc3("},
      {"\xC0\xAF", "\\xc0\\xaf"},
      {"\xE0\x80\x80", "\\xe0\\x80\\x80"},
      {"\xED\xA0\x80", "\\xed\\xa0\\x80"},
      {"\xEE\x80\x80", "\xEE\x80\x80"},
      {"\xF0\x8F\xBF\xBF", "\\xf0\\x8f\\xbf\\xbf"},
      {"\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF"},
      {"\xF4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
      {"\xF5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
      {"\xF0\x9F\x98", "\\xf0\\x9f\\x98"},
  };
  for (const Case& each : cases) EXPECT_EQ(label_value(each.raw), each.expected);
}

TEST(LabelValue, KeepsDifferentBytesDifferent) {
  EXPECT_NE(label_value("/mnt/\xFE"), label_value("/mnt/\xFF"));
}

}  // namespace
}  // namespace sluice
