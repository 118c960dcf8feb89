#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/state_schema.h"
#include "record/entry.h"

// A segment is a header (magic, format version) and blocks. A block is whole by itself, unless it
// is linked: its own magic, the length of its contents, the number of its entries, and the contents
// compressed by zstd, with zstd's checksum: both clocks when it was written, then the entries.

namespace sluice::record {

inline constexpr std::uint32_t kFormatVersion = kRecordFormat;

/// The most bytes that the contents of a block have before compression. One entry may exceed it.
inline constexpr std::size_t kBlockContents = std::size_t{1} << 20;

/// Of blocks that are written as they come.
inline constexpr int kZstdLevel = 3;

using WallTime = std::chrono::system_clock::time_point;

/// An entry and its time, in whole microseconds.
struct Timed {
  TimePoint at;
  Entry entry;
  bool operator==(const Timed&) const = default;
};

/// By which blocks are cut; only calls can be large.
inline std::size_t size_of(const Timed& timed) {
  const auto* call = std::get_if<GovernorCall>(&timed.entry);
  return sizeof timed.at + (call ? call->bytes.size() : sizeof timed.entry);
}

/// Both clocks at one instant.
struct Clocks {
  TimePoint now;
  WallTime wall;
};
Clocks clocks_now();

std::string segment_header();

/// The entries as one block; `clocks` are those of the moment of writing.
std::string block_of(std::span<const Timed> entries, const Clocks& clocks);

/// The contents of the last blocks of a segment, which a linked block is compressed by: it is
/// smaller and cannot be read without them.
class BlockHistory {
 public:
  std::string_view contents() const { return contents_; }
  void add(std::string_view block);
  void clear() { contents_.clear(); }

 private:
  std::string contents_;
};
/// Likewise as a linked block, and adds it to `before`. `level`: of zstd.
std::string linked_block_of(std::span<const Timed> entries, const Clocks& clocks,
                            BlockHistory& before, int level = kZstdLevel);

/// An entry as read, with its time on both clocks.
struct Dated {
  TimePoint at;
  WallTime wall;
  const Entry& entry;
};
using OnEntry = std::function<void(const Dated&)>;

/// What a segment holds besides its entries.
struct SegmentSummary {
  std::size_t blocks = 0, entries = 0;
  std::size_t whole_bytes = 0;  ///< Up to the end of its last whole block.
  std::size_t unknown = 0;      ///< Entries of a type that only a newer Sluice knows.
  std::uint64_t lost = 0;       ///< Entries that gaps stand for.
  std::optional<WallTime> first, last;
  std::optional<Clocks> last_clocks;  ///< Of its last block.
  std::optional<SegmentStart> start;
  /// Each a clause about the segment: "its last block is cut", "a block at byte 96 is damaged",
  /// "the wall clock was set back by 2 h 00 min".
  std::vector<std::string> problems;
  bool is_whole = true;  ///< No problem but those of clocks.
};

/// Reads all blocks that are whole, in order, whatever the bytes are; linked ones up to the first
/// that is not.
SegmentSummary read_segment(std::string_view bytes, const OnEntry& each);

/// A segment of linked blocks with the same entries in fewer blocks. Half a second of a quiet
/// daemon compresses badly: there is more to learn from minutes of it. nullopt for a segment with
/// damage, with entries that only a newer Sluice knows, or during which a clock was set: its blocks
/// say when.
std::optional<std::string> merged_segment(std::string_view segment);

/// What has happened to the wall clock between two moments of one boot; empty if nothing has.
std::string clock_change(const Clocks& before, const Clocks& after);

}  // namespace sluice::record
