#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/folder.h"

namespace sluice::record {

/// Retention: the oldest segments beyond either limit are removed. If the wall clock has passed
/// `age` since the last write, it may be wrong: for an hour nothing is removed for its age.
struct Limits {
  Bytes size{256ULL << 20};                   ///< Of all segments.
  Duration age = std::chrono::hours(24 * 7);  ///< Since the last write to a segment.
};

/// Whether each block can be read without those before it in its segment.
enum class Blocks { alone, linked };

/// Appends blocks to a record, begins new segments and removes the oldest. Not thread-safe.
class SegmentWriter {
 public:
  SegmentWriter(RecordFolder folder, const Limits& limits, SegmentStart start,
                Blocks blocks = Blocks::alone);

  /// Writes the entries as one block. On a problem, which it returns, none of them is written; make
  /// another writer then.
  std::optional<std::string> append(std::vector<Timed> entries, const Clocks& now);

  /// The number of the current segment, or of the last one if there is none yet.
  std::uint64_t segment() const { return number_; }

  /// Of all segments.
  std::uint64_t bytes() const { return others_ + size_; }

 private:
  bool is_due(const Clocks& now) const;
  std::optional<std::string> begin_segment(const Clocks& now);
  std::optional<std::string> write_out(const std::string& bytes);
  void end_segment();
  void merge_last();
  void observe_clock(const Clocks& now);
  void make_room(std::uint64_t bytes, const Clocks& now);

  const RecordFolder folder_;
  const Limits limits_;
  const SegmentStart start_;
  const Blocks blocks_;
  BlockHistory history_;            ///< Of the current segment.
  std::vector<SegmentFile> ended_;  ///< Oldest first.
  std::uint64_t others_ = 0;        ///< Bytes of these.
  std::uint64_t number_ = 0;        ///< Of the current segment.
  Descriptor file_;
  std::uint64_t size_ = 0;
  TimePoint began_;
  std::optional<WallTime> last_write_;  ///< To any segment.
  TimePoint in_doubt_until_{};
};

}  // namespace sluice::record
