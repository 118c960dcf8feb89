#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice {

/// A stopping daemon waits for the jobs that it runs itself, because they would end with it. A
/// value: the clock and the jobs belong to the caller.
class StopDrain {
 public:
  /// Extension requested from the service manager with each message; well above their interval.
  static constexpr Duration kExtension = std::chrono::seconds(30);

  /// `longest`: after this the wait is over whatever runs; 0 for no wait.
  StopDrain(Duration longest, TimePoint began) : until_(began + longest) {}

  struct Step {
    bool is_over = false;
    std::optional<std::string> told;  ///< For the service manager; nullopt if nothing is due.
  };
  /// `jobs`: its own that have not ended. Call it about once a second.
  Step poll(std::size_t jobs, TimePoint now);

 private:
  TimePoint until_;
  std::size_t told_jobs_ = 0;
  std::optional<TimePoint> tell_at_;  ///< nullopt before the first message.
};

}  // namespace sluice
