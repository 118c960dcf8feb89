#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "client/answer.h"
#include "sluice/units.h"

namespace sluice {

/// How many jobs of a build fit in all, beside jobs of others.
struct FittingJobs {
  enum class By { runs, assumption };
  std::size_t jobs = 1;
  By by = By::runs;  ///< Of such jobs; else by what is assumed of unknown ones.
};

/// Compares the number of jobs that a tool was asked for with the number that fits. As soon as
/// something is known of its jobs, it is by that; after a second in which nothing is, also by what
/// is assumed. Pure.
class NumberCheck {
 public:
  /// 0 if it was asked for no number.
  explicit NumberCheck(std::size_t asked) : asked_(asked) {}

  /// Whether to ask the daemon now, while a job of the build is held. Twice a second, until the
  /// number has turned out too large by runs.
  bool is_due(TimePoint now) {
    if (asked_ == 0 || now < next_) return false;
    next_ = now + std::chrono::milliseconds(500);
    assumes_at_ = assumes_at_.value_or(now + std::chrono::seconds(1));
    return true;
  }
  /// The number that fits, if fewer than asked for, once by an assumption and once by runs.
  /// `running`: jobs of the build.
  std::optional<FittingJobs> observe_fit(const FitAnswer& fit, std::size_t running, TimePoint now) {
    if (asked_ == 0) return std::nullopt;
    const bool is_early = has_assumed_ || !assumes_at_ || now < *assumes_at_;
    if (!fit.is_known() && is_early) return std::nullopt;
    // The daemon says 1 also where none fits.
    const std::size_t further = fit.jobs > 1 ? fit.jobs : 0;
    const std::size_t fits = std::max<std::size_t>(running + further, 1);
    if (fits >= asked_) return std::nullopt;
    has_assumed_ = true;
    if (!fit.is_known()) return FittingJobs{fits, FittingJobs::By::assumption};
    asked_ = 0;
    return FittingJobs{fits, FittingJobs::By::runs};
  }

 private:
  std::size_t asked_;
  TimePoint next_ = {};
  std::optional<TimePoint> assumes_at_;
  bool has_assumed_ = false;
};

}  // namespace sluice
