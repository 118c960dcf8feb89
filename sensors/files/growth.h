#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "sluice/units.h"

namespace sluice {

/// The growth of one counter as a part of another's: throttled periods of all periods, waiting time
/// of all time. Measured over spans of at least half a second, because a few milliseconds give only
/// noise. Not thread-safe.
class GrowthRatio {
 public:
  /// Records both counters. Returns part growth / whole growth over the last full span, from 0 to
  /// 1, 0 if the whole did not grow; nullopt until a first span is over, also after a counter went
  /// backwards because it restarted.
  std::optional<double> update(TimePoint now, std::uint64_t part, std::uint64_t whole) {
    if (!started_ || part < part_ || whole < whole_) {
      ratio_.reset();
      begin(now, part, whole);
      return ratio_;
    }
    if (now - since_ < kLeastSpan) return ratio_;
    const auto grown = static_cast<double>(whole - whole_);
    ratio_ = grown > 0 ? std::min(1.0, static_cast<double>(part - part_) / grown) : 0;
    begin(now, part, whole);
    return ratio_;
  }

  /// Forgets everything: the counters are different ones from now on.
  void restart() { *this = GrowthRatio(); }

 private:
  static constexpr Duration kLeastSpan = std::chrono::milliseconds(500);

  void begin(TimePoint now, std::uint64_t part, std::uint64_t whole) {
    started_ = true;
    since_ = now;
    part_ = part;
    whole_ = whole;
  }

  bool started_ = false;
  TimePoint since_;
  std::uint64_t part_ = 0;
  std::uint64_t whole_ = 0;
  std::optional<double> ratio_;
};

}  // namespace sluice
