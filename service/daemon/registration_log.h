#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sluice/units.h"

namespace sluice {

/// Log lines about an executor that starts and stops accepting work. The first change after the
/// initial acceptance is reported at once; those of the next `kSpan` become one line at its end,
/// with their counts and reasons. So a flapping executor writes one line a minute. Pure; used on
/// one thread.
class RegistrationLog {
 public:
  static constexpr Duration kSpan = std::chrono::seconds(60);

  /// Takes a change, and why the executor accepts no work. Returns the line to write now; nullopt
  /// if `due` returns it later.
  std::optional<std::string> change(bool accepting, const std::string& reason, TimePoint now);
  /// The line about the changes of a span that has ended; nullopt if there is nothing to report
  /// yet.
  std::optional<std::string> due(TimePoint now);
  /// The same whether or not the span has ended, because nothing will follow.
  std::optional<std::string> rest();

 private:
  /// Of the span; if nullopt, the next change is reported at once.
  std::optional<TimePoint> began_;
  std::uint64_t registered_ = 0, deregistered_ = 0;
  std::map<std::string, std::uint64_t> reasons_;
  bool accepting_ = false;
  bool is_new_ = true;  ///< Nothing has been reported yet.
};

}  // namespace sluice
