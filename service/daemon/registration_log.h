#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice {

/// What the log says of an executor that begins and ceases to take work. The first change after
/// that it takes work at all is said at once; those of the next `kSpan` come as one line at its
/// end, with their counts and reasons. So one that flaps writes a line a minute. Pure; of one
/// thread.
class RegistrationLog {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(60);

  /// A change, and why it takes no work. The line to write now; none: `due` gives it later.
  std::optional<std::string> change(bool accepting, const std::string& reason, TimePoint now);
  /// The line about what changed in a span that is over; none: there is nothing to say yet.
  std::optional<std::string> due(TimePoint now);
  /// The same, whether it is over or not: nothing will follow.
  std::optional<std::string> rest();

 private:
  std::optional<TimePoint> began_;  ///< Of the span; none: the next change is said at once.
  std::uint64_t registered_ = 0, deregistered_ = 0;
  std::map<std::string, std::uint64_t> reasons_;
  bool accepting_ = false;
  bool is_new_ = true;  ///< Nothing was said yet.
};

}  // namespace sluice
