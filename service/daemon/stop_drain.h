#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice {

/// A daemon that is to end waits for the jobs that it runs itself, which would end with it. A
/// value: the clock and the jobs belong to the caller.
class StopDrain {
 public:
  /// What the service manager is asked for with each word of life, well above the time between two.
  static constexpr Duration kExtension = std::chrono::seconds(30);

  /// `longest`: after that it is over whatever runs; 0: at once.
  StopDrain(Duration longest, TimePoint began) : until_(began + longest) {}

  struct Step {
    bool is_over = false;
    std::optional<std::string> told;  ///< For the service manager; nothing: it knows.
  };
  /// `jobs`: of its own, not over yet. To be called about once a second.
  Step look(std::size_t jobs, TimePoint now);

 private:
  TimePoint until_;
  std::size_t told_jobs_ = 0;
  std::optional<TimePoint> tell_at_;  ///< Nothing was told yet.
};

}  // namespace sluice
