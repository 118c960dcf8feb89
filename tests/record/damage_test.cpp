// Whatever has happened to a segment: a clear word, and everything that is whole.
#include <gtest/gtest.h>

#include <algorithm>

#include "record/codec.h"
#include "record/segment.h"
#include "sample_entries.h"

namespace sluice::record::testing {
namespace {

/// A segment of two blocks.
struct TwoBlocks {
  TwoBlocks() {
    for (int block = 0; block < 2; ++block) {
      std::vector<Timed> entries = one_of_each();
      for (Timed& each : entries) each.at += std::chrono::minutes(block);
      bytes += block_of(entries, clocks(std::chrono::minutes(block) + 12s));
      ends.push_back(bytes.size());
      all.insert(all.end(), entries.begin(), entries.end());
    }
  }

  /// How many of the entries are whole if the bytes end here.
  std::size_t whole_at(std::size_t end) const {
    const auto blocks = std::ranges::count_if(ends, [&](std::size_t each) { return each <= end; });
    return static_cast<std::size_t>(blocks) * all.size() / ends.size();
  }

  std::string bytes = segment_header();
  std::vector<std::size_t> ends;
  std::vector<Timed> all;
};

/// Whether one is the other without some of its entries.
bool is_part_of(const std::vector<Timed>& part, const std::vector<Timed>& all) {
  auto from = all.begin();
  return std::ranges::all_of(part, [&](const Timed& each) {
    from = std::find(from, all.end(), each);
    return from != all.end() && (++from, true);
  });
}

TEST(DamagedRecord, AWholeSegmentHasNoProblem) {
  const TwoBlocks two;
  const Read whole = read(two.bytes);
  EXPECT_EQ(whole.entries, two.all);
  EXPECT_TRUE(whole.summary.problems.empty());
  EXPECT_EQ(whole.summary.blocks, 2U);
  EXPECT_EQ(whole.summary.lost, 2 * 17U);
  EXPECT_EQ(whole.summary.start->version, "1.2.3");
  EXPECT_EQ(whole.summary.first, clocks(1s).wall);
  EXPECT_EQ(whole.summary.last, clocks(two.all.back().at.time_since_epoch()).wall);
}

TEST(DamagedRecord, ASegmentBeginsWithItsFirstEntryAlthoughItsStartIsWrittenLater) {
  const std::vector<Timed> entries{{moment(12s), SegmentStart{"1.2.3", "boot"}},
                                   {moment(11s), Level{}}};
  const Read whole = read(segment_header() + block_of(entries, clocks(12s)));
  EXPECT_EQ(whole.summary.first, clocks(11s).wall);
  EXPECT_EQ(whole.summary.last, clocks(11s).wall);
}

TEST(DamagedRecord, CutAtAnyByteGivesAllBlocksBeforeAndSaysSo) {
  const TwoBlocks two;
  for (std::size_t end = 0; end < two.bytes.size(); ++end) {
    const Read cut = read(std::string_view(two.bytes).substr(0, end));
    ASSERT_EQ(cut.entries.size(), two.whole_at(end)) << "cut at " << end;
    ASSERT_TRUE(is_part_of(cut.entries, two.all)) << "cut at " << end;
    const bool is_between = end == segment_header().size() || std::ranges::count(two.ends, end);
    ASSERT_EQ(cut.summary.problems.empty(), is_between) << "cut at " << end;
  }
}

TEST(DamagedRecord, AFlippedBitCostsAtMostItsBlockAndIsReported) {
  const TwoBlocks two;
  const std::size_t header = segment_header().size();
  for (std::size_t bit = 0; bit < 8 * two.bytes.size(); ++bit) {
    std::string flipped = two.bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const Read damaged = read(flipped);
    ASSERT_TRUE(is_part_of(damaged.entries, two.all)) << "bit " << bit;
    // A bit of zstd's that means nothing may change.
    ASSERT_TRUE(!damaged.summary.problems.empty() || damaged.entries == two.all) << "bit " << bit;
    if (bit / 8 < header) continue;
    ASSERT_GE(damaged.entries.size(), two.all.size() / 2) << "bit " << bit;
  }
}

TEST(DamagedRecord, RubbishIsNotARecord) {
  EXPECT_EQ(read("PNG").summary.problems, std::vector<std::string>{"not a Sluice record"});
  EXPECT_EQ(read("").summary.problems, std::vector<std::string>{"truncated within its header"});
}

TEST(DamagedRecord, AnotherVersionIsNamed) {
  TwoBlocks two;
  two.bytes[segment_header().size() - 4] = 7;
  const Read other = read(two.bytes);
  EXPECT_TRUE(other.entries.empty());
  EXPECT_EQ(other.summary.problems,
            std::vector<std::string>{"it has format version 7, and this Sluice reads version 1"});
}

std::vector<std::string> problems_of(const Clocks& second) {
  const std::vector<Timed> entries = one_of_each();
  return read(segment_header() + block_of(entries, clocks(12s)) + block_of(entries, second))
      .summary.problems;
}

TEST(DamagedRecord, ClocksThatJumpedAreNamed) {
  const Clocks later = clocks(13s);
  EXPECT_TRUE(problems_of(later).empty());
  EXPECT_EQ(problems_of({later.now, later.wall - 2h}),
            std::vector<std::string>{"the wall clock was set back by 2 h 00 min"});
  EXPECT_EQ(problems_of({later.now, later.wall + 90min}),
            std::vector<std::string>{
                "the wall clock went ahead by 1 h 30 min: it was set, or the host was suspended"});
  EXPECT_EQ(problems_of({later.now - 5s, later.wall}),
            std::vector<std::string>{"its monotonic clock went back"});
}

TEST(DamagedRecord, AnEntryKeepsTheWallTimeThatItsBlockGivesIt) {
  const std::vector<Timed> entries = one_of_each();
  std::vector<WallTime> walls;
  const Clocks set_back{clocks(12s).now, clocks(12s).wall - 2h};
  const auto each = [&](const Dated& dated) { walls.push_back(dated.wall); };
  read_segment(segment_header() + block_of({entries.data(), 1}, set_back), each);
  EXPECT_EQ(walls, std::vector<WallTime>{clocks(1s).wall - 2h});
}

TEST(DamagedRecord, AsMuchDamageAsBytesEndsSoon) {
  std::string bytes = segment_header();
  for (int at = 0; at < 100000; ++at) bytes += "SRB1";
  const Read damaged = read(bytes);
  EXPECT_TRUE(damaged.entries.empty());
  EXPECT_LE(damaged.summary.problems.size(), 101U);
}

}  // namespace
}  // namespace sluice::record::testing
