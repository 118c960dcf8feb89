#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "record/segment_writer.h"
#include "record_folder.h"
#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

constexpr int kHalfSeconds = 2000;

/// A call like one of an idle daemon, most of whose bytes are those of the call before.
Entry call(int number) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(number));
  std::string bytes = "sensor one of a host, sensor two of it, and what they say: ";
  for (int at = 0; at < 20; ++at) bytes += static_cast<char>(random());
  return GovernorCall{bytes + std::to_string(number)};
}

/// A block each half second; `clock`: how much the wall clock is ahead in the second half.
std::string segment(Duration clock = Duration{0}) {
  std::string bytes = segment_header();
  BlockHistory history;
  for (int number = 0; number < kHalfSeconds; ++number) {
    Clocks now = clocks(number * 500ms);
    if (number > kHalfSeconds / 2) now.wall += clock;
    std::vector<Timed> entries{{now.now - 200ms, call(number)}, {now.now - 1ms, call(-number)}};
    if (number == 0) entries.insert(entries.begin(), {now.now, SegmentStart{"1.2.3", "boot"}});
    bytes += linked_block_of(entries, now, history);
  }
  return bytes;
}

struct Whole {
  TimePoint at;
  WallTime wall;
  Entry entry;
  bool operator==(const Whole&) const = default;
};

std::vector<Whole> entries_of(const std::string& bytes, SegmentSummary& summary) {
  std::vector<Whole> entries;
  summary = read_segment(bytes, [&](const Dated& each) {
    entries.push_back({each.at, each.wall, each.entry});
  });
  return entries;
}

TEST(SegmentMerge, HasTheSameEntriesInFewerAndSmallerBlocks) {
  const std::string before = segment();
  const auto merged = merged_segment(before);
  ASSERT_TRUE(merged);
  SegmentSummary was, is;
  EXPECT_TRUE(entries_of(*merged, is) == entries_of(before, was));
  EXPECT_TRUE(is.is_whole);
  EXPECT_EQ(is.start, was.start);
  EXPECT_EQ(is.entries, 2 * kHalfSeconds + 1U);
  EXPECT_LT(is.blocks * 100, was.blocks);
  EXPECT_LT(merged->size(), before.size() * 3 / 4);
  EXPECT_EQ(merged_segment(*merged), merged) << "nothing is left to merge";
}

TEST(SegmentMerge, LeavesASegmentWithDamageOrASetClock) {
  std::string damaged = segment();
  EXPECT_FALSE(merged_segment(damaged.substr(0, damaged.size() - 1)));
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_FALSE(merged_segment(damaged));
  EXPECT_FALSE(merged_segment(segment(1h)));
  EXPECT_FALSE(merged_segment(segment(-1h)));
  EXPECT_FALSE(merged_segment(""));
}

TEST(SegmentMerge, TheWriterMergesASegmentAsItEnds) {
  Folder folder;
  const std::string path = folder.path("calls");
  auto opened = RecordFolder::open_to_write(path);
  SegmentWriter writer(std::move(std::get<RecordFolder>(opened)), {Bytes{1 << 20}, 24h},
                       SegmentStart{"1.2.3", "boot"}, Blocks::linked);
  std::vector<Timed> all;
  for (int number = 0; segments_in(path).size() < 3; ++number) {
    const Clocks now = clocks(number * 500ms);
    all.push_back({now.now, call(number)});
    ASSERT_EQ(writer.append({all.back()}, now), std::nullopt);
    ASSERT_LT(number, 10000);
  }
  EXPECT_EQ(entries_in(path), all);
  std::uint64_t bytes = 0;
  for (const SegmentFile& each : segments_in(path)) bytes += each.bytes;
  EXPECT_EQ(bytes, writer.bytes());
  EXPECT_LT(segments_in(path).front().bytes, std::uint64_t{(1 << 20) / 16} * 3 / 4);
  for (const auto& file : std::filesystem::directory_iterator(path)) {
    EXPECT_NE(file.path().extension(), ".new");
  }
}

TEST(SegmentMerge, OfADaemonThatWasKilledMeanwhileNothingIsLeft) {
  Folder folder;
  const std::string path = folder.path("calls"), left = path + "/0000000001.srec.new";
  const auto open = [&] {
    return SegmentWriter(std::move(std::get<RecordFolder>(RecordFolder::open_to_write(path))), {},
                         SegmentStart{"1.2.3", "boot"}, Blocks::linked);
  };
  ASSERT_EQ(open().append({{moment(1s), call(1)}}, clocks(1s)), std::nullopt);
  std::ofstream(left) << "half a segment";
  open();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(entries_in(path).size(), 1U);
}

TEST(SegmentMerge, ASegmentKeepsItsAge) {
  Folder folder;
  const auto opened = RecordFolder::open_to_write(folder.path("calls"));
  const auto& calls = std::get<RecordFolder>(opened);
  calls.create(1);
  ASSERT_EQ(calls.publish(1), std::nullopt);
  const WallTime modified = clocks(7s).wall;
  ASSERT_EQ(calls.replace({1, 0, modified}, "other"), std::nullopt);
  EXPECT_EQ(calls.segments().front().modified, modified);
  EXPECT_EQ(std::get<0>(calls.read(1)), "other");
}

}  // namespace
}  // namespace sluice::record::testing
