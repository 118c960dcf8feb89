#include "costmodel/memory_course.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/seconds.h"
#include "costmodel/phase_text.h"

namespace sluice {
namespace {

constexpr Duration kLeastStep = std::chrono::milliseconds(1);
constexpr double kMostBytes = 1e18;
constexpr int kDigits = 10;

double number(Bytes bytes) { return static_cast<double>(bytes.value); }
double level_of(const MemoryStep& step) { return step.bytes; }
double level_of(const MemoryPhase& phase) { return std::sqrt(phase.square); }

/// Bytes times seconds by which a common level exceeds those of two neighbours.
template <typename Part>
double excess(double from, const Part& a, const Part& b) {
  const double one = level_of(a), other = level_of(b), common = std::max(one, other);
  return (common - one) * (to_seconds(a.until) - from) +
         (common - other) * to_seconds(b.until - a.until);
}

/// The first of the two neighbours whose common level exceeds theirs least.
template <typename Parts>
std::size_t most_alike(const Parts& parts, std::size_t count) {
  std::size_t best = 0;
  double least = HUGE_VAL, from = 0;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double loss = excess(from, parts[i], parts[i + 1]);
    if (loss < least) least = loss, best = i;
    from = to_seconds(parts[i].until);
  }
  return best;
}

template <typename Steps>
void join_most_alike(Steps& steps, std::size_t& count) {
  const std::size_t best = most_alike(steps, count);
  steps[best] = {steps[best + 1].until, std::max(steps[best].bytes, steps[best + 1].bytes)};
  const auto next = steps.begin() + static_cast<std::ptrdiff_t>(best) + 1;
  std::move(next + 1, steps.begin() + static_cast<std::ptrdiff_t>(count), next);
  --count;
}

double held_at(const MemoryCourse& course, Duration at) {
  for (const MemoryStep& step : course.valid()) {
    if (at < step.until) return step.bytes;
  }
  return 0;
}

MemoryPhase phase_of(std::span<const MemoryCourse* const> runs, Duration from, Duration until) {
  MemoryPhase phase{until};
  for (const MemoryCourse* run : runs) {
    const double held = held_at(*run, from);
    phase.mean += held;
    phase.square += held * held;
    phase.alive += run->steps[run->count - 1].until > until ? 1 : 0;
  }
  const auto count = static_cast<double>(runs.size());
  return {until, phase.mean / count, phase.square / count, phase.alive / count};
}

MemoryPhase joined(const MemoryPhase& a, const MemoryPhase& b) {
  return {b.until, std::max(a.mean, b.mean), std::max(a.square, b.square), b.alive};
}

void reduce(std::vector<MemoryPhase>& phases, std::size_t most) {
  while (phases.size() > most) {
    const std::size_t best = most_alike(phases, phases.size());
    phases[best] = joined(phases[best], phases[best + 1]);
    phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace

void CourseRecorder::see(Duration span, const JobUsage& usage) {
  const double held = number(usage.memory);
  if (span < kLeastStep && count_ > 0) {
    steps_[count_ - 1].bytes = std::max(steps_[count_ - 1].bytes, held);
    return;
  }
  const Duration from = count_ > 0 ? steps_[count_ - 1].until : Duration{0};
  steps_[count_++] = {from + std::max(span, kLeastStep), held};
  if (count_ > MemoryCourse::kMostSteps) join_most_alike(steps_, count_);
}

MemoryCourse CourseRecorder::until(Duration span, const JobUsage& last) const {
  CourseRecorder whole = *this;
  // A process that has ended holds nothing; what it held since is not known.
  if (whole.count_ > 0) {
    whole.steps_[whole.count_ - 1].until += span;
  } else if (span >= kLeastStep) {
    whole.see(span, last);
  }
  MemoryCourse course;
  for (; course.count < whole.count_; ++course.count) {
    course.steps[course.count] = whole.steps_[course.count];
  }
  if (course.count == 0) return course;
  const auto end = course.steps.begin() + static_cast<std::ptrdiff_t>(course.count);
  const auto highest = std::max_element(
      course.steps.begin(), end, [](const auto& a, const auto& b) { return a.bytes <= b.bytes; });
  highest->bytes = std::max(highest->bytes, number(last.peak_memory));
  return course;
}

MemoryProfile profile_of(std::span<const MemoryCourse* const> runs) {
  std::vector<Duration> edges;
  for (const MemoryCourse* run : runs) {
    for (const MemoryStep& step : run->valid()) edges.push_back(step.until);
  }
  std::ranges::sort(edges);
  std::vector<MemoryPhase> phases;
  Duration from{0};
  for (const Duration until : edges) {
    if (until <= from) continue;
    phases.push_back(phase_of(runs, from, until));
    from = until;
  }
  reduce(phases, MemoryProfile::kMostPhases);
  MemoryProfile profile;
  profile.runs = runs.size();
  profile.count = phases.size();
  std::ranges::copy(phases, profile.phases.begin());
  return profile;
}

std::string to_text(const MemoryCourse& course) { return phases_to_text(course.valid(), kDigits); }

std::optional<MemoryCourse> parse_course(std::string_view text) {
  MemoryCourse course;
  const auto count = parse_phases(text, course.steps, kMostBytes);
  if (!count) return std::nullopt;
  course.count = *count;
  return course;
}

}  // namespace sluice
