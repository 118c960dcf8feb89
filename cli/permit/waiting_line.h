#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice::cli {

/// Whether a wait is told of, and how.
enum class WaitTelling { silent, told };

/// How long a wait goes untold.
inline constexpr Duration kUntoldWait = std::chrono::seconds(2);

/// When to tell people that something waits: after two seconds, again once the reason is another,
/// and every minute. Pure: `now` is told.
class WaitingLine {
 public:
  explicit WaitingLine(TimePoint began) : began_(began) {}

  /// Whether the reason is to be told now; it counts as told then. `reason` tells reasons apart:
  /// numbers that change all the time do not belong in it.
  bool is_due(std::string_view reason, TimePoint now);

 private:
  TimePoint began_;
  std::optional<TimePoint> told_;
  std::string reason_;
};

}  // namespace sluice::cli
