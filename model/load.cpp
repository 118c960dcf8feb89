#include "model/load.h"

#include <cmath>

namespace sluice::model {
namespace {

constexpr std::uint64_t kFixedOne = 2048;
constexpr std::uint64_t kDecayOfFiveSeconds = 1884;  ///< 2048 / exp(5 s / 60 s)

}  // namespace

void LoadAverage::sample(double active) {
  const auto now = static_cast<std::uint64_t>(std::llround(active * kFixedOne));
  std::uint64_t next = load_ * kDecayOfFiveSeconds + now * (kFixedOne - kDecayOfFiveSeconds);
  if (now >= load_) next += kFixedOne - 1;
  load_ = next / kFixedOne;
}

double LoadAverage::value() const { return static_cast<double>(load_) / kFixedOne; }

void StallAverage::sample(double part) {
  const double keep = std::exp(-2.0 / 10.0);
  average_ = average_ * keep + part * (1 - keep);
}

}  // namespace sluice::model
