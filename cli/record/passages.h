#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "record/segment.h"

namespace sluice::cli {

/// Finds where a record's wall clock was set back. Less than a second is drift, and what lies
/// between two readings of the clocks.
class SetBacks {
 public:
  /// Where it was set back, and by how much.
  struct SetBack {
    record::WallTime from;
    Duration by;
  };

  /// Whether that was just before the next entry of the record. Pass no start of a segment: it is
  /// written first, and is later than the entries that it was written for.
  std::optional<SetBack> before(const record::Dated& dated);
  /// Instead for the start of a segment: the monotonic clock starts over with each boot.
  void begin_segment(const record::SegmentStart& start);

 private:
  std::string boot_;
  bool is_new_boot_ = false;  ///< The next entry is the first one of its boot.
  std::optional<TimePoint> last_at_;
  record::WallTime last_wall_;
};

/// The passages of the wall clock: the parts of a record between two places where it was set back.
/// Each that has a time is an occurrence of the time, as `Occurrences` counts them.
class Passages {
 public:
  /// For each entry, in the order of the record.
  void add(const record::Dated& dated);
  /// How many there are so far: that of the last entry counts, and has this number.
  std::size_t count() const { return passages_.size(); }
  /// Which occurrence of the time passage `number` has, from 1, if it has the time.
  std::size_t occurrence(record::WallTime at, std::size_t number) const;

 private:
  /// The times of its first entry and of the latest one, in whole milliseconds.
  struct Passage {
    record::WallTime from, to;
  };

  SetBacks set_backs_;
  std::vector<Passage> passages_;
};

}  // namespace sluice::cli
