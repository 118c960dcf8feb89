#include "governor/memory/later_memory.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

/// Runs that must have lasted as long as a job has, to say how it goes on.
constexpr double kLeastSurvivingRuns = 3;
constexpr int kOffPart = 20;  ///< A run may be faster or slower by this part of its time.
/// Deviations above the mean by which the highest of several times is chosen: 98 of 100 cases.
constexpr double kDeviations = 2;

/// A phase, when it begins, and the part of the runs that had not ended then.
struct Span {
  const MemoryPhase& phase;
  Duration from;
  double alive;

  /// The part of the runs that had not ended at a time in it.
  double alive_at(Duration at) const {
    const auto whole = static_cast<double>((phase.until - from).count());
    const double part = static_cast<double>((at - from).count()) / whole;
    return alive + std::clamp(part, 0.0, 1.0) * (phase.alive - alive);
  }
};

/// Calls `visit` with each phase, in order.
template <typename Visit>
void for_each_span(const MemoryProfile& profile, Visit visit) {
  Duration from{0};
  double alive = 1;
  for (const MemoryPhase& phase : profile.valid()) {
    visit(Span{phase, from, alive});
    from = phase.until;
    alive = phase.alive;
  }
}

double alive_at(const MemoryProfile& profile, Duration at) {
  double alive = 0;
  for_each_span(profile, [&](const Span& span) {
    if (at >= span.from && at < span.phase.until) alive = span.alive_at(at);
  });
  return alive;
}

double high(const LaterNeed& need) { return need.mean + kDeviations * std::sqrt(need.variance); }

}  // namespace

std::optional<LaterNeed> need_between(const MemoryProfile& profile, const MemoryProgress& progress,
                                      Duration from, Duration until) {
  const double alive = alive_at(profile, progress.at);
  const double runs = alive * static_cast<double>(profile.runs);
  if (runs < kLeastSurvivingRuns) return std::nullopt;
  const Duration asked = progress.at + from, last = progress.at + until;
  const Duration begin = std::max(progress.at, asked - asked / kOffPart);
  const Duration end = last + last / kOffPart;
  LaterNeed most;
  for_each_span(profile, [&](const Span& span) {
    if (span.phase.until <= begin || span.from >= end) return;
    const double left = std::min(1.0, span.alive_at(std::max(span.from, begin)) / alive);
    const double mean = std::max(span.phase.mean / alive, progress.held * left);
    const double square = std::max(span.phase.square / alive, progress.held * progress.held * left);
    const LaterNeed need{mean, std::max(0.0, square - mean * mean) * (1 + 1 / runs)};
    if (high(need) > high(most)) most = need;
  });
  return most;
}

LaterNeed need_in(const MemoryProfile& profile, const MemoryPhase& phase) {
  const double variance = std::max(0.0, phase.square - phase.mean * phase.mean);
  return {phase.mean, variance * (1 + 1 / static_cast<double>(profile.runs))};
}

ExpectedPeak expected_from_now(double z, const Prediction& expected,
                               const std::optional<MemoryUse>& use, TimePoint now) {
  const ExpectedPeak peak = expected_peak(z, need_while_running(expected, use, now));
  const bool is_known = expected.growth && expected.growth->count > 0 && use && use->is_measured;
  if (!is_known) return peak;
  const auto held = static_cast<double>(use->held.value);
  const Duration end = expected.growth->phases[expected.growth->count - 1].until;
  const auto need = need_between(*expected.growth, {use->progress, held}, Duration{0}, end);
  if (!need || held > peak.bytes || need->mean > peak.bytes) return peak;
  const double margin = std::min(z * std::sqrt(need->variance), peak.bytes - need->mean);
  return {need->mean + margin, margin};
}

}  // namespace sluice
