#include "capi/arguments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace sluice::capi {
namespace {

template <typename Act>
std::string problem_of(Act act) {
  try {
    act();
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(Arguments, TextIsOneLineOfUtf8) {
  EXPECT_EQ(text_of(nullptr, "key"), "");
  EXPECT_EQ(text_of("h\xc3\xa9", "key"), "h\xc3\xa9");
  const std::string longest(kMostTextBytes, 'x');
  EXPECT_EQ(text_of(longest.c_str(), "key"), longest);
  EXPECT_EQ(problem_of([&] { text_of((longest + "x").c_str(), "key"); }),
            "key: is longer than 4096 bytes");
  for (const char* text : {"\xff", "\xc3", "a\nb", "\x1b[31m"}) {
    EXPECT_EQ(problem_of([&] { text_of(text, "key"); }),
              "key: is not UTF-8, or has a control character");
  }
}

TEST(Arguments, ListsMayBeAbsentButNotMissing) {
  const int* none = nullptr;
  EXPECT_TRUE(list_of(none, 0, "after").empty());
  EXPECT_EQ(problem_of([&] { list_of(none, 1, "after"); }),
            "after: is NULL, but its count is not 0");
  const int one = 7;
  EXPECT_EQ(list_of(&one, 1, "after")[0], 7);
  EXPECT_EQ(problem_of([&] { list_of(&one, SIZE_MAX, "after"); }),
            "after: has more than 1000 entries");
}

TEST(Arguments, PairsHaveAName) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(pair_of("db=3=4", "resources[0]", "M=A"), Pair("db", "3=4"));
  EXPECT_EQ(pair_of("db=", "resources[0]", "M=A"), Pair("db", ""));
  for (const char* text : {"", "db", "=3"}) {
    EXPECT_EQ(problem_of([&] { pair_of(text, "resources[0]", "M=A"); }),
              "resources[0]: \"" + std::string(text) + "\" is not M=A");
  }
  EXPECT_EQ(problem_of([] { pair_of(nullptr, "locks[1]", "L=L"); }), "locks[1]: is NULL");
}

TEST(Arguments, NumbersHaveARange) {
  EXPECT_EQ(number_of(0, 0, 9, "cost"), 0);
  EXPECT_EQ(number_of(9, 0, 9, "cost"), 9);
  EXPECT_EQ(problem_of([] { number_of(-1, 0, 9, "cost"); }), "cost: -1 is not from 0 to 9");
  EXPECT_EQ(problem_of([] { number_of(10, 0, 9, "cost"); }), "cost: 10 is not from 0 to 9");
  EXPECT_EQ(bytes_of(std::int64_t{1} << 60, "memory"), Bytes{std::uint64_t{1} << 60});
  EXPECT_NE(problem_of([] { bytes_of((std::int64_t{1} << 60) + 1, "memory"); }), "");
}

TEST(Arguments, TruthIsZeroOrOne) {
  EXPECT_FALSE(truth_of(0, "measured"));
  EXPECT_TRUE(truth_of(1, "measured"));
  for (const int number : {-1, 2, std::numeric_limits<int>::min()}) {
    EXPECT_EQ(problem_of([&] { truth_of(number, "measured"); }),
              "measured: " + std::to_string(number) + " is neither 0 nor 1");
  }
}

TEST(Arguments, TimesAreFinite) {
  EXPECT_EQ(time_of(1.5, "wall"), std::chrono::milliseconds(1500));
  EXPECT_EQ(time_of(1e9, "wall"), std::chrono::seconds(1'000'000'000));
  for (const double seconds : {-0.1, 1.1e9, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(problem_of([&] { time_of(seconds, "wall"); }),
              "wall: is not a time from 0 to 1e9 seconds");
  }
}

}  // namespace
}  // namespace sluice::capi
