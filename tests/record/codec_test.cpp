#include "record/codec.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

TEST(RecordCodec, ReadsWhatItWrites) {
  std::string bytes;
  TimePoint before;
  for (const Timed& each : one_of_each()) {
    append_entry(bytes, before, each.at, each.entry);
    before = each.at;
  }
  std::string_view rest = bytes;
  TimePoint at;
  for (const Timed& each : one_of_each()) {
    const auto entry = cut_entry(rest, at);
    ASSERT_TRUE(std::holds_alternative<Entry>(entry)) << type_name(each.entry);
    EXPECT_EQ(std::get<Entry>(entry), each.entry) << type_name(each.entry);
    EXPECT_EQ(at, each.at);
  }
  EXPECT_TRUE(rest.empty());
}

TEST(RecordCodec, NumbersOfAnySizeComeBack) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{63},
                                    std::int64_t{64}, std::int64_t{-65}, kMost, -kMost - 1}) {
    std::string bytes;
    append_signed(bytes, number);
    std::string_view rest = bytes;
    EXPECT_EQ(cut_signed(rest), number);
    EXPECT_TRUE(rest.empty());
  }
  std::string_view endless = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_FALSE(cut_number(endless));
}

TEST(RecordCodec, AnEntryOfANewerSluiceIsPassedOver) {
  std::string bytes;
  append_number(bytes, 99);  // Its type.
  append_signed(bytes, 1'000'000);
  append_number(bytes, 5);
  bytes += "later";
  append_entry(bytes, moment(1s), moment(2s), Level{Points{7}, {}, 0, 0, {}, {}});
  std::string_view rest = bytes;
  TimePoint at;
  EXPECT_TRUE(std::holds_alternative<UnknownEntry>(cut_entry(rest, at)));
  EXPECT_EQ(at, moment(1s));
  const auto known = cut_entry(rest, at);
  ASSERT_TRUE(std::holds_alternative<Entry>(known));
  EXPECT_EQ(std::get<Level>(std::get<Entry>(known)).size, Points{7});
  EXPECT_EQ(at, moment(2s));
}

TEST(RecordCodec, FieldsOfANewerSluiceAreIgnoredAndMissingOnesAreDefaults) {
  std::string fields;
  append_number(fields, 17);
  JobStarted expected;
  expected.job = JobId{17};
  const auto entry_of = [&](const std::string& content) {
    std::string bytes;
    append_number(bytes, Entry(JobStarted{}).index() + 1);
    append_signed(bytes, 0);
    append_number(bytes, content.size());
    bytes += content;
    std::string_view rest = bytes;
    TimePoint at;
    return std::get<JobStarted>(std::get<Entry>(cut_entry(rest, at)));
  };
  EXPECT_EQ(entry_of(fields), expected);
  expected.expected_millicores = 3;
  std::string all;
  append_entry(all, {}, {}, expected);
  EXPECT_EQ(entry_of(all.substr(3) + "more"), expected);
}

TEST(RecordCodec, ATextThatClaimsToBeLongerThanItsEntryIsBad) {
  std::string bytes;
  append_number(bytes, Entry(SegmentStart{}).index() + 1);
  append_signed(bytes, 0);
  append_number(bytes, 3);
  append_number(bytes, 100);
  bytes += "ab";
  std::string_view rest = bytes;
  TimePoint at;
  EXPECT_TRUE(std::holds_alternative<BadEntry>(cut_entry(rest, at)));
}

}  // namespace
}  // namespace sluice::record::testing
