#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "metrics/service_facts.h"
#include "sluice/units.h"

namespace sluice {

/// Where an unexpected exception was caught.
enum class FaultPlace { request, connection, admission, timer, process, jobserver, signal, event };

inline constexpr std::size_t kFaultPlaces = 8;

std::string_view to_string(FaultPlace place);

/// Unexpected exceptions that abort only the operation that threw them: logs each with its place,
/// and counts it. Used on one thread.
class Faults {
 public:
  /// This many within a minute, and the daemon is no longer ready: it may be broken.
  static constexpr std::size_t kMany = 3;

  explicit Faults(Log log = {}) : log_(std::move(log)) {}

  /// `detail`: the operation, such as the name of a route; may be empty.
  void record_fault(FaultPlace place, std::string_view detail, std::string_view what,
                    TimePoint now = Clock::now()) noexcept;

  /// Runs `work` and notes what it throws; false if it threw.
  template <typename Work>
  bool contain(FaultPlace place, std::string_view detail, Work&& work) noexcept {
    try {
      std::forward<Work>(work)();
      return true;
    } catch (const std::exception& error) {
      record_fault(place, detail, error.what());
    } catch (...) {
      record_fault(place, detail, "an unknown exception was thrown");
    }
    return false;
  }

  bool are_many(TimePoint now) const;
  /// Counts since the start, one entry for every place.
  InternalErrors counts() const;

 private:
  Log log_;
  std::array<std::uint64_t, kFaultPlaces> counts_{};
  std::array<TimePoint, kMany> last_{};  ///< Ring buffer.
  std::uint64_t all_ = 0;
};

}  // namespace sluice
