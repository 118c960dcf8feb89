#include "recognition/number_check.h"

#include <algorithm>
#include <chrono>

namespace sluice {
namespace {

constexpr Duration kAskAgain = std::chrono::milliseconds(500);

}  // namespace

bool NumberCheck::is_due(TimePoint now) {
  if (asked_ == 0 || now < next_) return false;
  next_ = now + kAskAgain;
  return true;
}

std::optional<std::size_t> NumberCheck::observe_fit(const FitAnswer& fit, std::size_t running) {
  if (!fit.is_known() || asked_ == 0) return std::nullopt;
  // The daemon says 1 also where none fits.
  const std::size_t further = fit.jobs > 1 ? fit.jobs : 0;
  const std::size_t fits = std::max<std::size_t>(running + further, 1);
  if (fits >= asked_) return std::nullopt;
  asked_ = 0;
  return fits;
}

}  // namespace sluice
