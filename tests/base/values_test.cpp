#include "base/values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace sluice {
namespace {

using namespace std::chrono_literals;

template <typename T>
std::string expected_of(const ParsedValue<T>& value) {
  const auto* error = std::get_if<ValueError>(&value);
  return error != nullptr ? error->expected + "|" + error->hint : "valid";
}

TEST(Duration, TakesEveryUnit) {
  const std::pair<std::string, Duration> cases[] = {
      {"30s", 30s},     {"10min", 10min},   {"10m", 10min},
      {"500ms", 500ms}, {"2h", 2h},         {"250us", 250us},
      {"1d", 24h},      {"7ns", 7ns},       {"0s", 0s},
      {"1.5h", 90min},  {"0.0005s", 500us}, {"-5s", -5s},
      {"0.1ms", 100us}, {"1.5ns", 2ns},     {"9223372036854775807ns", Duration::max()}};
  for (const auto& [text, duration] : cases) {
    ASSERT_EQ(expected_of(parse_duration(text)), "valid") << text;
    EXPECT_EQ(std::get<Duration>(parse_duration(text)), duration) << text;
  }
}

TEST(Duration, SaysWhatIsWrong) {
  const std::string must = "must be a duration such as 30s, 10min or 500ms|";
  const std::string units = "ns, us, ms, s, min (or m), h or d";
  EXPECT_EQ(expected_of(parse_duration("30")), must + "add the unit: " + units);
  for (const std::string text : {"30 s", "30sec", "30S", "1h30min", "1e3s", "0x10s", "5%"}) {
    EXPECT_EQ(expected_of(parse_duration(text)), must + "the unit is one of " + units) << text;
  }
  for (const std::string text : {"", "s", "soon", "+5s", "inf", "nans", ".", "--1s", "infs"}) {
    EXPECT_EQ(expected_of(parse_duration(text)), must) << text;
  }
  for (const std::string text : {"106752d", "9223372036854775808ns", "1000000000000d"}) {
    EXPECT_EQ(expected_of(parse_duration(text)), "must be a duration of at most 292 years|");
  }
}

TEST(Instant, IsExactToTheNanosecondOrRefused) {
  const std::pair<std::string, Duration> cases[] = {
      {"0s", 0s},
      {"0.000000001s", 1ns},
      {"86399.123456789s", Duration(86'399'123'456'789)},
      {"9000000000.123456789s", Duration(9'000'000'000'123'456'789)},
      {"1.5h", 90min},
      {"0.1000000000s", 100ms}};
  for (const auto& [text, duration] : cases) {
    ASSERT_EQ(expected_of(parse_instant(text)), "valid") << text;
    EXPECT_EQ(std::get<Duration>(parse_instant(text)), duration) << text;
  }
  for (const std::string text : {"0.0000000001s", "1.5ns", "0.0000000000001h"}) {
    EXPECT_EQ(expected_of(parse_instant(text)),
              "must be whole nanoseconds: at most nine decimals of a second|")
        << text;
  }
  EXPECT_EQ(expected_of(parse_instant("-1ns")), "must not be negative|");
}

TEST(Tenths, HaveOneDecimalPlaceExactly) {
  const std::pair<std::string, std::int64_t> cases[] = {{"0", 0},       {"1", 10}, {"0.3", 3},
                                                        {"12.70", 127}, {".5", 5}, {"100", 1000}};
  for (const auto& [text, tenths] : cases) {
    ASSERT_EQ(expected_of(parse_tenths(text)), "valid") << text;
    EXPECT_EQ(std::get<std::int64_t>(parse_tenths(text)), tenths) << text;
  }
  for (const std::string text : {"", "x", "0.25", "-1", "-0.3", "1e1", "nan", "3%"}) {
    EXPECT_NE(expected_of(parse_tenths(text)), "valid") << text;
  }
}

TEST(Size, TakesPowersOf1024And1000) {
  const std::pair<std::string, std::uint64_t> cases[] = {{"1.5GiB", 1610612736},
                                                         {"512MiB", 536870912},
                                                         {"10MB", 10000000},
                                                         {"4096B", 4096},
                                                         {"0B", 0},
                                                         {"1KiB", 1024},
                                                         {"1kB", 1000},
                                                         {"1KB", 1000},
                                                         {"2TB", 2000000000000},
                                                         {"8388607TiB", 9223370937343148032}};
  for (const auto& [text, bytes] : cases) {
    ASSERT_EQ(expected_of(parse_size(text)), "valid") << text;
    EXPECT_EQ(std::get<Bytes>(parse_size(text)).value, bytes) << text;
  }
}

TEST(Size, RefusesOtherUnitsNegativeAndTooMuch) {
  EXPECT_EQ(expected_of(parse_size("4096")),
            "must be a size such as 512MiB, 1.5GiB or 4096B|add the unit: B, KiB, MiB, GiB, "
            "TiB, kB, MB, GB or TB");
  for (const std::string text : {"", "GiB", "5 GiB", "5gib", "5G", "-1B", "8388608TiB", "1e3B"}) {
    EXPECT_NE(expected_of(parse_size(text)), "valid") << text;
  }
}

TEST(Ratio, TakesPercentAndFraction) {
  const std::pair<std::string, double> cases[] = {{"5%", 0.05},     {"0.05", 0.05}, {"100%", 1},
                                                  {"12.5%", 0.125}, {"0", 0},       {"-1%", -0.01}};
  for (const auto& [text, ratio] : cases) {
    EXPECT_EQ(std::get<double>(parse_ratio(text)), ratio) << text;
  }
  for (const std::string text : {"", "%", "5 %", "5%%", "half", "inf%", "nan", "5‰"}) {
    EXPECT_EQ(expected_of(parse_ratio(text)), "must be a ratio such as 5% or 0.05|") << text;
  }
}

TEST(Points, AreForTheMachineOrEachCpu) {
  EXPECT_EQ(std::get<PointsSpec>(parse_points("40")), (PointsSpec{40}));
  EXPECT_EQ(std::get<PointsSpec>(parse_points("10/cpu")), (PointsSpec{10, PointsSpec::Per::cpu}));
  EXPECT_EQ(std::get<PointsSpec>(parse_points("0.5/cpu")), (PointsSpec{0.5, PointsSpec::Per::cpu}));
  EXPECT_EQ(std::get<PointsSpec>(parse_points("16777215")), (PointsSpec{16777215}));
  for (const std::string text : {"", "/cpu", "10/CPU", "10 /cpu", "10/core", "ten", "1e3"}) {
    EXPECT_EQ(expected_of(parse_points(text)), "must be points such as 40 or 10/cpu|") << text;
  }
  for (const std::string text : {"0", "-1", "0.5", "16777216"}) {
    EXPECT_EQ(expected_of(parse_points(text)), "must be at least 1 and at most 16777215 points|");
  }
  EXPECT_EQ(expected_of(parse_points("0/cpu")), "must be above 0/cpu and at most 16777215/cpu|");
  EXPECT_EQ(expected_of(parse_points("2.5")),
            "must be points such as 40 or 10/cpu|points without /cpu must be whole");
}

TEST(Switch, TakesOnAndOffInAnyCase) {
  for (const std::string text : {"on", "On", "ON", "true", "True", "TRUE"}) {
    EXPECT_EQ(std::get<Presence>(parse_switch(text)), Presence::on) << text;
  }
  for (const std::string text : {"off", "Off", "OFF", "false", "False"}) {
    EXPECT_EQ(std::get<Presence>(parse_switch(text)), Presence::off) << text;
  }
  for (const std::string text : {"", "1", "yes", "no", "o", "offf"}) {
    EXPECT_EQ(expected_of(parse_switch(text)), "must be on or off|") << text;
  }
}

TEST(Word, IsOneOfAListAndGuessesWhatWasMeant) {
  const std::vector<std::string> words{"hold", "red", "green", "ignore"};
  EXPECT_EQ(std::get<std::size_t>(parse_word("green", words)), 2u);
  EXPECT_EQ(expected_of(parse_word("hodl", words)),
            "must be one of hold, red, green, ignore|did you mean `hold`?");
  EXPECT_EQ(expected_of(parse_word("purple", words)), "must be one of hold, red, green, ignore|");
}

TEST(Address, NeedsHostAndPort) {
  for (const std::string text : {"127.0.0.1:9797", "localhost:0", "[::1]:65535", "a-b.example:1",
                                 "[::]:80", "[::ffff:1.2.3.4]:80"}) {
    EXPECT_EQ(std::get<std::string>(parse_address(text, 0)), text);
  }
  const std::string must = "must be HOST:PORT such as 127.0.0.1:9797 or [::1]:9797|";
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"9797", ""},
      {"localhost", ""},
      {"local host:1", ""},
      {"[]:1", ""},
      {"[zz::]:1", ""},
      {"[localhost]:1", ""},
      {"http://x:1", "an IPv6 address needs brackets"},
      {"::1:9797", "an IPv6 address needs brackets"},
      {":9797", "for all addresses write 0.0.0.0 or [::]"},
      {"h:65536", "the port is a number from 0 to 65535"},
      {"h:-1", "the port is a number from 0 to 65535"},
      {"h:", "the port is a number from 0 to 65535"},
      {"h:http", "the port is a number from 0 to 65535"}};
  for (const auto& [text, hint] : cases) {
    EXPECT_EQ(expected_of(parse_address(text, 0)), must + hint) << text;
  }
  EXPECT_EQ(expected_of(parse_address("h:0", 1)), must + "the port is a number from 1 to 65535");
}

TEST(Path, IsAbsoluteShortEnoughAndPrintable) {
  EXPECT_EQ(std::get<std::string>(parse_path("/run/x y", 10)), "/run/x y");
  EXPECT_EQ(expected_of(parse_path("run/x", 10)), "must be an absolute path such as /run/sluice|");
  EXPECT_EQ(expected_of(parse_path("/12345678901", 10)), "must be a path of at most 10 bytes|");
  EXPECT_EQ(expected_of(parse_path(std::string_view("/a\0b", 4), 10)),
            "must be text without control characters|");
}

TEST(Print, IsShortAndReadable) {
  EXPECT_EQ(print_duration(0s), "0s");
  EXPECT_EQ(print_duration(90s), "90s");
  EXPECT_EQ(print_duration(600s), "10min");
  EXPECT_EQ(print_duration(48h), "2d");
  EXPECT_EQ(print_duration(1500us), "1500us");
  EXPECT_EQ(print_duration(-2h), "-2h");
  EXPECT_EQ(print_ratio(0.05), "5%");
  EXPECT_EQ(print_ratio(0.07), "7%");
  EXPECT_EQ(print_ratio(0.125), "12.5%");
  EXPECT_EQ(print_points({10, PointsSpec::Per::cpu}), "10/cpu");
  EXPECT_EQ(print_points({16777215}), "16777215");
  EXPECT_EQ(print_text("/var/lib"), "/var/lib");
  EXPECT_EQ(print_text("off"), "\"off\"");
  EXPECT_EQ(print_text("Null"), "\"Null\"");
  EXPECT_EQ(print_text(""), "\"\"");
  EXPECT_EQ(print_text("1.5"), "\"1.5\"");
  EXPECT_EQ(print_text("a\"\\b: c #"), "\"a\\\"\\\\b: c #\"");
  EXPECT_EQ(print_list({"/a", "-x", "b c"}), "[/a, \"-x\", \"b c\"]");
}

TEST(Print, ParsesBackToTheSameValue) {
  std::mt19937_64 random(20180116);
  for (int i = 0; i < 20000; ++i) {
    const Duration duration(static_cast<std::int64_t>(random()));
    EXPECT_EQ(std::get<Duration>(parse_duration(print_duration(duration))), duration);
    const double ratio = std::uniform_real_distribution<double>(0, 1)(random);
    EXPECT_EQ(std::get<double>(parse_ratio(print_ratio(ratio))), ratio);
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) {
      EXPECT_EQ(std::get<double>(parse_decimal(print_decimal(number))), number);
    }
    const PointsSpec points{std::exp(-20 + 36 * ratio), PointsSpec::Per::cpu};
    EXPECT_EQ(std::get<PointsSpec>(parse_points(print_points(points))), points);
  }
}

}  // namespace
}  // namespace sluice
