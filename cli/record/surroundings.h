#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "base/json_writer.h"
#include "cli/record/span.h"

namespace sluice::cli {

/// What a record holds around one moment: its span, and the changes of the window before and after,
/// in the order of the record. Times count in whole milliseconds, as they are printed.
class Surroundings {
 public:
  /// The most cuts on each side of the moment.
  static constexpr std::size_t kCuts = 25;

  struct Change {
    record::WallTime at;
    record::WindowChanged change;
  };

  explicit Surroundings(record::WallTime moment);

  /// The next entry; `before` the end of the moment, or `after` it.
  void add(const record::Dated& dated, Side side);

  record::WallTime moment() const { return moment_; }
  const std::optional<record::WallTime>& from() const { return from_; }
  const std::optional<record::WallTime>& to() const { return to_; }
  /// The last change that was before the moment and the first one after it.
  const std::optional<record::WallTime>& previous() const { return previous_; }
  const std::optional<record::WallTime>& next() const { return next_; }
  /// The cuts of the window nearest to the moment, oldest first.
  std::vector<Change> cuts() const;

 private:
  record::WallTime moment_;
  std::optional<record::WallTime> from_, to_, previous_, next_;
  std::deque<Change> before_, after_;
};

/// "from", "to", "previous_change", "next_change" and "cuts" of an object that is open.
void write_surroundings(JsonWriter& json, const Surroundings& around);

}  // namespace sluice::cli
