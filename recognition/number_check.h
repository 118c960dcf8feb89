#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "client/answer.h"
#include "sluice/units.h"

namespace sluice {

/// Compares the number of jobs that a tool was asked for with the number that fits, as soon as
/// something is known of its jobs. Pure.
class NumberCheck {
 public:
  /// 0 if it was asked for no number.
  explicit NumberCheck(std::size_t asked) : asked_(asked) {}

  /// Whether to ask the daemon now, while a job of the build is held. Twice a second, until the
  /// number has turned out too large.
  bool is_due(TimePoint now) {
    if (asked_ == 0 || now < next_) return false;
    next_ = now + std::chrono::milliseconds(500);
    return true;
  }
  /// How many fit in all, beside jobs of others, if that is known and fewer than asked for, once.
  /// `running`: jobs of the build.
  std::optional<std::size_t> observe_fit(const FitAnswer& fit, std::size_t running) {
    if (!fit.is_known() || asked_ == 0) return std::nullopt;
    // The daemon says 1 also where none fits.
    const std::size_t further = fit.jobs > 1 ? fit.jobs : 0;
    const std::size_t fits = std::max<std::size_t>(running + further, 1);
    if (fits >= asked_) return std::nullopt;
    asked_ = 0;
    return fits;
  }

 private:
  std::size_t asked_;
  TimePoint next_ = {};
};

}  // namespace sluice
