#include "record/codec.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>

#include "base/varint.h"
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
    append_signed_varint(bytes, number);
    std::string_view rest = bytes;
    EXPECT_EQ(cut_signed_varint(rest), number);
    EXPECT_TRUE(rest.empty());
  }
  std::string_view endless = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  EXPECT_FALSE(cut_varint(endless));
}

TEST(RecordCodec, AnEntryOfANewerSluiceIsPassedOver) {
  std::string bytes;
  append_varint(bytes, 99);  // Its type.
  append_signed_varint(bytes, 1'000'000);
  append_varint(bytes, 5);
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
  append_varint(fields, 17);
  JobStarted expected;
  expected.job = JobId{17};
  const auto entry_of = [&](const std::string& content) {
    std::string bytes;
    append_varint(bytes, Entry(JobStarted{}).index() + 1);
    append_signed_varint(bytes, 0);
    append_varint(bytes, content.size());
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

TEST(RecordCodec, AChangeComesBackWithAllThatItSetsAndNothingElse) {
  JobChanged all{JobId{17}, 1000};
  all.priority = -9;
  all.queue = Name{"nightly"};
  all.place = "before";
  all.of = JobId{3};
  all.frozen = false;
  all.nice = 19;
  all.locks = {std::pair(Name{"node"}, Name{"exclusive:n1"})};
  all.global_lock = true;
  JobChanged no_locks{JobId{18}};
  no_locks.locks.emplace();
  for (const Entry& each : {Entry(all), Entry(no_locks), Entry(JobChanged{JobId{19}})}) {
    std::string bytes;
    append_entry(bytes, {}, moment(5s), each);
    std::string_view rest = bytes;
    TimePoint at;
    EXPECT_EQ(std::get<Entry>(cut_entry(rest, at)), each);
    EXPECT_TRUE(rest.empty());
  }
  EXPECT_EQ(type_name(all), "job_changed");
}

JobRestated told_again() {
  JobRestated again;
  again.submitted = {JobId{17}, {"build-17"}, {"g++"}, {"gate"}, 1000, 3, Points{10}, {}};
  again.submitted.reasons = {{"nightly"}};
  again.arrived = moment(2s);
  again.started = JobStarted{JobId{17}, Points{12}, {}, {}, Bytes{1 << 20}, {}, 90s, 1500, "key"};
  again.admitted = moment(3s);
  return again;
}

TEST(RecordCodec, WhatIsToldAgainComesBack) {
  JobRestated waiting = told_again();
  waiting.started.reset();
  waiting.admitted = {};
  const Restated all{2,
                     300,
                     {{{"load"}, true, true, false, {"load1 is 9"}}},
                     std::vector<Name>{{"paused"}, {"queue nightly paused"}}};
  for (const Entry& each : {Entry(told_again()), Entry(waiting), Entry(all), Entry(Restated{})}) {
    std::string bytes;
    append_entry(bytes, {}, moment(5s), each);
    std::string_view rest = bytes;
    TimePoint at;
    EXPECT_EQ(std::get<Entry>(cut_entry(rest, at)), each);
    EXPECT_TRUE(rest.empty());
  }
  EXPECT_EQ(type_name(told_again()), "job_restated");
  EXPECT_EQ(type_name(all), "restated");
}

TEST(RecordCodec, AnEntryWithinAnotherMayHaveFieldsOfANewerSluice) {
  std::string job;
  append_varint(job, 17);
  const std::string known = std::string(1, static_cast<char>(job.size())) + job;
  JobRestated expected;
  expected.submitted.job = JobId{17};
  expected.arrived = moment(2s);
  std::string fields = known;
  append_signed_varint(fields, micros(2s));
  std::string bytes;
  append_varint(bytes, Entry(JobRestated{}).index() + 1);
  append_signed_varint(bytes, 0);
  append_varint(bytes, fields.size());
  std::string_view rest = bytes += fields;
  TimePoint at;
  EXPECT_EQ(std::get<Entry>(cut_entry(rest, at)), Entry(expected));

  std::string all;
  append_entry(all, {}, {}, told_again());
  // The length of the entry, and that of the job in it: each is one byte, of less than 0x7f.
  constexpr std::size_t kLength = 2, kJob = 3;
  const auto size = static_cast<std::size_t>(all[kJob]);
  all.insert(kJob + 1 + size, "later");
  for (const std::size_t each : {kLength, kJob}) all[each] = static_cast<char>(all[each] + 5);
  rest = all;
  EXPECT_EQ(std::get<Entry>(cut_entry(rest, at)), Entry(told_again()));
  EXPECT_TRUE(rest.empty());
}

TEST(RecordCodec, AJobThatAnEarlierSluiceRecordedIsReadAsFarAsItGoes) {
  JobSubmitted job{JobId{17}, {"build-17"}, {"g++"}, {"gate"}, 1000, 3, Points{10}, {}};
  job.after = {JobId{4}};
  std::string bytes;
  append_entry(bytes, {}, {}, job);
  // Its last fields, each of one byte: global_lock, reasons, on_failure, nice and declares_locks.
  constexpr std::size_t kLater = 5, kLength = 2;
  bytes.resize(bytes.size() - kLater);
  bytes[kLength] = static_cast<char>(bytes[kLength] - static_cast<char>(kLater));
  std::string_view rest = bytes;
  TimePoint at;
  const auto read = std::get<JobSubmitted>(std::get<Entry>(cut_entry(rest, at)));
  EXPECT_EQ(read, job);
  EXPECT_EQ(read.on_failure, "");
  EXPECT_TRUE(rest.empty());
}

TEST(RecordCodec, ATextThatClaimsToBeLongerThanItsEntryIsBad) {
  std::string bytes;
  append_varint(bytes, Entry(SegmentStart{}).index() + 1);
  append_signed_varint(bytes, 0);
  append_varint(bytes, 3);
  append_varint(bytes, 100);
  bytes += "ab";
  std::string_view rest = bytes;
  TimePoint at;
  EXPECT_TRUE(std::holds_alternative<BadEntry>(cut_entry(rest, at)));
}

}  // namespace
}  // namespace sluice::record::testing
