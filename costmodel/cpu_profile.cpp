#include "costmodel/cpu_profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/seconds.h"
#include "costmodel/phase_text.h"

namespace sluice {
namespace {

constexpr Duration kLeastSpan = std::chrono::milliseconds(200);
constexpr double kLeastSeconds = 0.005;
/// Neighbours are alike if they differ by less than this many cores, or this part of the larger.
constexpr double kAlikeCores = 0.1;
constexpr double kAlikePart = 0.25;
/// Less is next to nothing but waiting.
constexpr double kAsleep = 0.1;
constexpr Duration kLeastRamp = std::chrono::seconds(1);
constexpr Duration kMostRamp = std::chrono::seconds(5);
constexpr double kLateWork = 0.5;
constexpr double kMostSeconds = 1e9;
constexpr double kMostCores = 1e7;

Duration bounded_duration(double seconds) {
  return Duration(std::llround(std::min(seconds, kMostSeconds) * 1e9));
}

double most_cores_of(const CpuProfile& profile) {
  double most = 0;
  for (const CpuPhase& phase : profile.valid()) most = std::max(most, phase.cores);
  return most;
}

double cores_at(const CpuProfile& profile, Duration at) {
  for (const CpuPhase& phase : profile.valid()) {
    if (at < phase.until) return phase.cores;
  }
  return 0;
}

}  // namespace

ProfileRecorder::Part ProfileRecorder::rest(const JobUsage& usage) const {
  const Duration span = std::max(Duration{0}, usage.wall - wall_);
  // An estimate of the delay may be corrected downwards.
  const Duration cpu = std::max(Duration{0}, usage.cpu - cpu_);
  const Duration delay = std::max(Duration{0}, usage.cpu_delay - delay_);
  return {to_seconds(unimpeded(span, cpu, delay)), to_seconds(cpu)};
}

void ProfileRecorder::see(const JobUsage& usage) {
  if (usage.wall - wall_ < kLeastSpan) return;
  const Part part = rest(usage);
  add(part);
  memory_.see(bounded_duration(part.seconds), usage);
  wall_ = usage.wall;
  cpu_ = std::max(cpu_, usage.cpu);
  delay_ = std::max(delay_, usage.cpu_delay);
}

/// A part without a length has no level: what it did belongs to its neighbour.
void ProfileRecorder::add(Part part) {
  const bool is_brief = part.seconds < kLeastSeconds;
  if (is_brief && count_ > 0) {
    parts_[count_ - 1].seconds += part.seconds;
    parts_[count_ - 1].work += part.work;
    return;
  }
  parts_[count_++] = part;
  if (count_ > CpuProfile::kMostPhases) join(most_alike());
}

/// Ward's criterion: the pair whose mean loses least of the sum of squares.
/// Source: Ward, "Hierarchical grouping to optimize an objective function", 1963.
std::size_t ProfileRecorder::most_alike() const {
  std::size_t best = 0;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i + 1 < count_; ++i) {
    const Part &a = parts_[i], &b = parts_[i + 1];
    if (a.seconds <= 0 || b.seconds <= 0) return i;
    const double apart = a.work / a.seconds - b.work / b.seconds;
    const double loss = a.seconds * b.seconds / (a.seconds + b.seconds) * apart * apart;
    if (loss < least) least = loss, best = i;
  }
  return best;
}

void ProfileRecorder::join(std::size_t first) {
  parts_[first].seconds += parts_[first + 1].seconds;
  parts_[first].work += parts_[first + 1].work;
  std::move(parts_.begin() + static_cast<std::ptrdiff_t>(first) + 2, parts_.end(),
            parts_.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  --count_;
}

void ProfileRecorder::join_alike() {
  while (count_ > 1) {
    const std::size_t first = most_alike();
    const Part &a = parts_[first], &b = parts_[first + 1];
    const bool is_level = a.seconds > 0 && b.seconds > 0;
    const double one = is_level ? a.work / a.seconds : 0, other = is_level ? b.work / b.seconds : 0;
    if (std::abs(one - other) > std::max(kAlikeCores, kAlikePart * std::max(one, other))) return;
    join(first);
  }
}

CpuProfile ProfileRecorder::profile() const {
  CpuProfile profile;
  double until = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Part& part = parts_[i];
    if (part.seconds <= 0) continue;
    until += part.seconds;
    const double cores = std::min(part.work / part.seconds, kMostCores);
    profile.phases[profile.count++] = {bounded_duration(until), cores};
  }
  return profile;
}

CpuProfile ProfileRecorder::until(const JobUsage& last) const {
  ProfileRecorder whole = *this;
  const Part end = whole.rest(last);
  if (last.wall - wall_ < kLeastSpan && whole.count_ > 0) {
    Part& before = whole.parts_[whole.count_ - 1];
    before = {before.seconds + end.seconds, before.work + end.work};
  } else if (end.seconds > 0) {
    whole.add(end);
  }
  whole.join_alike();
  return whole.profile();
}

MemoryCourse ProfileRecorder::memory_until(const JobUsage& last) const {
  return memory_.until(bounded_duration(rest(last).seconds), last);
}

CpuProfile envelope(std::span<const CpuProfile* const> runs) {
  if (runs.size() == 1) return *runs.front();
  std::vector<Duration> edges;
  for (const CpuProfile* run : runs) {
    for (const CpuPhase& phase : run->valid()) edges.push_back(phase.until);
  }
  std::ranges::sort(edges);
  ProfileRecorder all;
  Duration from{0};
  for (const Duration until : edges) {
    if (until <= from) continue;
    double cores = 0;
    for (const CpuProfile* run : runs) cores = std::max(cores, cores_at(*run, from));
    const double span = to_seconds(until - from);
    all.add({span, cores * span});
    from = until;
  }
  all.join_alike();
  return all.profile();
}

Duration ramp_of(const CpuProfile& profile) {
  const double most = most_cores_of(profile);
  if (most < kAsleep) return Duration{0};
  Duration from{0};
  for (const CpuPhase& phase : profile.valid()) {
    if (2 * phase.cores >= most) break;
    from = phase.until;
  }
  return from > kMostRamp ? kLeastRamp : std::max(from, kLeastRamp);
}

double late_cores(const CpuProfile& profile) {
  double most = 0;
  Duration from{0};
  for (const CpuPhase& phase : profile.valid()) {
    const double work = phase.cores * to_seconds(phase.until - from);
    // A phase that goes on from the start is late, too, if it is long.
    const bool is_late = phase.until > 2 * kLeastRamp || from >= kLeastRamp;
    if (is_late && work >= kLateWork) most = std::max(most, phase.cores);
    from = phase.until;
  }
  return most;
}

std::string to_text(const CpuProfile& profile) { return phases_to_text(profile.valid(), 5); }

std::optional<CpuProfile> parse_profile(std::string_view text) {
  CpuProfile profile;
  const auto count = parse_phases(text, profile.phases, kMostCores);
  if (!count) return std::nullopt;
  profile.count = *count;
  return profile;
}

}  // namespace sluice
