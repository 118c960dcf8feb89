#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/units.h"

namespace sluice {

/// Whether to report a wait.
enum class WaitTelling { silent, told };

/// How long a wait goes unreported.
inline constexpr Duration kUntoldWait = std::chrono::seconds(2);

/// When to report a wait to people: after two seconds, again when the reason changes, and every
/// minute. Pure: the caller passes `now`.
class WaitingLine {
 public:
  explicit WaitingLine(TimePoint began) : began_(began) {}

  /// Whether to report the reason now; if so, counts it as reported. `reason` identifies the
  /// reason: it must not contain numbers that change all the time.
  bool is_due(std::string_view reason, TimePoint now) {
    constexpr Duration kRepeat = std::chrono::minutes(1);
    if (now - began_ < kUntoldWait) return false;
    if (told_ && reason == reason_ && now - *told_ < kRepeat) return false;
    told_ = now;
    reason_ = reason;
    return true;
  }

 private:
  TimePoint began_;
  std::optional<TimePoint> told_;
  std::string reason_;
};

}  // namespace sluice
