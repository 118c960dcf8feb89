#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

#include "cli/record/passages.h"
#include "record/segment.h"

namespace sluice::cli {

/// Even a daemon whose host does nothing usually has something to record within this time.
inline constexpr Duration kRecordSilence = std::chrono::seconds(10);

/// Finds a time of the wall clock in the order of a record. A clock that is set back passes times
/// again, and each passage is an occurrence of the time, counted from 1. Each time of an entry
/// occurs in the passage of the entry. Times count in whole milliseconds, as they are printed.
class Occurrences {
 public:
  /// `wanted`: the one up to which the record is to be told.
  Occurrences(record::WallTime moment, std::size_t wanted);

  /// Whether the next entry of the record happened up to the wanted occurrence.
  bool add(const record::Dated& dated);
  /// After the last entry. A record that ends soon before the time still has it, and one that ends
  /// longer before it has it if it has no other, unless it is later than `now`.
  void finish(record::WallTime now);

  std::size_t count() const { return count_; }
  /// Why there is more than one: "the clock was set back by 3 min 00 s at 2026-03-01 14:06:00".
  std::string cause() const;

 private:
  void count_one();

  record::WallTime moment_;
  std::size_t wanted_, count_ = 0;
  bool has_reached_ = false;  ///< In this passage, an entry was up to the moment.
  bool has_passed_ = false;   ///< In this passage, an entry was after it.
  bool has_met_ = false;      ///< In this passage, an entry was at the moment.
  SetBacks set_backs_;
  record::WallTime last_wall_;
  std::optional<SetBacks::SetBack> last_back_;
  std::optional<SetBacks::SetBack> before_;  ///< The last one before the last occurrence.
};

/// Which occurrence of how many is told.
struct Occurrence {
  std::size_t number = 1, of = 1;
};

/// "2026-03-01 14:05:00 occurred twice: the clock was set back by 3 min 00 s at 2026-03-01
/// 14:06:00. The last is shown; --occurrence 1 shows the other." For one of several.
std::string occurrence_text(record::WallTime moment, const Occurrence& shown,
                            const std::string& cause);

/// "once", "twice", "3 times"
std::string times_text(std::size_t count);

}  // namespace sluice::cli
