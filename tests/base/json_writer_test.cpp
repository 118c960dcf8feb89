#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace sluice {
namespace {

template <typename T>
std::string written(const T& value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenAndNowhereElse) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("a", 1).key("b").begin_array();
  json.value(true).begin_array().end_array().begin_object().end_object().null().end_array();
  json.member("c", "x").end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[true,[],{},null],"c":"x"})");
}

TEST(JsonWriter, WritesAListAsAnArray) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("names", std::vector<std::string>{"a", "b"});
  json.member("none", std::vector<std::string>{}).member("rest", 1).end_object();
  EXPECT_EQ(out, R"({"names":["a","b"],"none":[],"rest":1})");
}

TEST(JsonWriter, WritesUnitsAsNumbersAndTimesInSeconds) {
  EXPECT_EQ(written(Points{7}), "7");
  EXPECT_EQ(written(std::optional(Bytes{512})), "512");
  EXPECT_EQ(written(std::chrono::milliseconds(1500)), "1.5");
}

TEST(JsonWriter, WritesAnArrayOrAnObjectEntryByEntry) {
  const std::string text = json_text([](JsonWriter& json) {
    const std::vector<int> numbers{1, 2};
    json.begin_object().list("all", numbers, [&](int each) { json.value(each * 10); });
    json.object("named", numbers, [&](int each) { json.member(std::to_string(each), each); });
    json.member("map", std::map<std::string, int>{{"a", 1}}).end_object();
  });
  EXPECT_EQ(text, R"({"all":[10,20],"named":{"1":1,"2":2},"map":{"a":1}})");
}

TEST(JsonWriter, WritesNullForATextThatIsEmpty) {
  const std::string text = json_text([](JsonWriter& json) {
    json.begin_object().member_or_null("none", "").member_or_null("some", "x").end_object();
  });
  EXPECT_EQ(text, R"({"none":null,"some":"x"})");
}

TEST(JsonWriter, WritesNullForAMemberThatIsMissing) {
  std::string out;
  JsonWriter json(out);
  const auto write = [&](int number) { json.begin_array().value(number).end_array(); };
  json.begin_object().member("given", std::optional(7), write);
  json.member("missing", std::optional<int>(), write).member("rest", 1).end_object();
  EXPECT_EQ(out, R"({"given":[7],"missing":null,"rest":1})");
}

TEST(JsonWriter, EscapesWhatMustBe) {
  EXPECT_EQ(written("q\"b\\n\nt\tr\rz\x01"), R"("q\"b\\n\nt\tr\rz\u0001")");
}

TEST(JsonWriter, EscapesWhatATerminalObeys) {
  EXPECT_EQ(written("\x1b[2J\x7f"), R"("\u001b[2J\u007f")");
  EXPECT_EQ(written("\u0080\u009b\u009f\u00a0\u202e"), "\"\\u0080\\u009b\\u009f\u00a0\\u202e\"");
  EXPECT_EQ(written("\u00fc\u20ac\U0001f600"), "\"\u00fc\u20ac\U0001f600\"");
  EXPECT_EQ(boost::json::parse(written("a\u009b\u2028")).as_string(), "a\u009b\u2028");
}

TEST(ShownJson, IsTheSameJsonWithoutWhatATerminalObeys) {
  EXPECT_EQ(shown_json("{\"\u00e9\": \"a\u009b2J\x7f\u202e\"}"),
            "{\"\u00e9\": \"a\\u009b2J\\u007f\\u202e\"}");
  EXPECT_EQ(shown_json("\"\xff\""), "\"\xff\"");
}

TEST(JsonWriter, HasNoNumberThatJsonHasNot) {
  EXPECT_EQ(written(std::nan("")), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(0.25), "0.25");
  EXPECT_EQ(written(std::uint64_t{18446744073709551615u}), "18446744073709551615");
  EXPECT_EQ(written(std::optional<double>()), "null");
}

TEST(JsonWriter, ReplacesWhatIsNotUtf8) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(written("\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80\"");
  EXPECT_EQ(written("a\xff"), "\"a" + mark + "\"");
  EXPECT_EQ(written("\xc3"), "\"" + mark + "\"");
  EXPECT_EQ(written("\xed\xa0\x80"), "\"" + mark + mark + mark + "\"") << "a surrogate";
  EXPECT_EQ(written("\xc0\xaf"), "\"" + mark + mark + "\"") << "overlong";
  EXPECT_EQ(written("\xf4\x90\x80\x80"), "\"" + mark + mark + mark + mark + "\"");
}

TEST(JsonWriter, WritesValidJsonForAnyBytes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 5000; ++round) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = static_cast<char>(random());
    boost::json::error_code error;
    boost::json::parse(written(text), error);
    ASSERT_FALSE(error) << round;
  }
}

}  // namespace
}  // namespace sluice
