#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "cli/record/passages.h"
#include "cli/record/span.h"

namespace sluice::cli {

/// What a record holds around one moment: its span, and the changes of the window before and after,
/// in the order of the record. Times count in whole milliseconds, as they are printed.
class Surroundings {
 public:
  /// The most cuts on each side of the moment.
  static constexpr std::size_t kCuts = 25;

  /// Where a change is: its time, and which occurrence of the time, as `Occurrences` counts them.
  struct Place {
    record::WallTime at;
    std::size_t occurrence = 1;
  };
  struct Change {
    Place place;
    record::WindowChanged change;
  };

  explicit Surroundings(record::WallTime moment);

  /// The next entry; `before` the end of the moment, or `after` it.
  void add(const record::Dated& dated, Side side);

  record::WallTime moment() const { return moment_; }
  const std::optional<record::WallTime>& from() const { return from_; }
  const std::optional<record::WallTime>& to() const { return to_; }
  /// The last change that was before the moment and the first one after it.
  std::optional<Place> previous() const { return placed(previous_); }
  std::optional<Place> next() const { return placed(next_); }
  /// The cuts of the window nearest to the moment, oldest first.
  std::vector<Change> cuts() const;

 private:
  /// A time in a passage of the clock, by its number.
  struct InPassage {
    record::WallTime at;
    std::size_t passage = 1;
  };
  struct Cut {
    InPassage when;
    record::WindowChanged change;
  };

  std::optional<Place> placed(const std::optional<InPassage>& when) const;
  void add_before(const InPassage& when);

  record::WallTime moment_;
  Passages passages_;
  std::optional<record::WallTime> from_, to_;
  std::optional<InPassage> previous_, next_;
  /// The last change before the moment that has its time: of the moment itself, unless the clock
  /// is set back behind it.
  std::optional<InPassage> at_moment_;
  std::deque<Cut> before_, after_;
};

/// "from", "to", "previous_change", "next_change", their occurrences and "cuts" of an object that
/// is open.
void write_surroundings(JsonWriter& json, const Surroundings& around);

}  // namespace sluice::cli
