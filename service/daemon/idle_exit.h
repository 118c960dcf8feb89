#pragma once

#include <cstddef>
#include <optional>

#include "sluice/units.h"

namespace sluice {

/// Decides when a daemon that nobody uses ends. A value: the clock and the counts belong to the
/// caller.
class IdleExit {
 public:
  /// `after`: how long it stays with neither a job nor a client; nullopt for ever.
  IdleExit(std::optional<Duration> after, TimePoint began) : after_(after), used_(began) {}

  /// `held`: jobs and connections there are now. Call it about once a second.
  bool is_due(std::size_t held, TimePoint now) {
    if (held > 0) used_ = now;
    return after_ && now - used_ >= *after_;
  }

 private:
  std::optional<Duration> after_;
  TimePoint used_;  ///< When there was last a job or a client.
};

}  // namespace sluice
