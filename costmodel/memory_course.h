#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sluice/memory_profile.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

// How the memory of a run grew, from the measurements taken of it, and what several runs say
// together. Pure.

/// A part of a run, and the most memory that it held in it.
struct MemoryStep {
  Duration until{0};  ///< Its end, of a run that never waits for a CPU, see `unimpeded`.
  double bytes = 0;   ///< >= 0

  bool operator==(const MemoryStep&) const = default;
};

/// The memory of one run over time. A plain value.
struct MemoryCourse {
  static constexpr std::size_t kMostSteps = 6;

  std::array<MemoryStep, kMostSteps> steps{};  ///< In order; the first `count` are valid.
  std::size_t count = 0;                       ///< 0: unknown.

  std::span<const MemoryStep> valid() const { return {steps.data(), std::min(count, kMostSteps)}; }
  bool operator==(const MemoryCourse&) const = default;
};

/// Reduces the measurements of one run to a course as they come, in constant space: of seven steps
/// it joins the two neighbours whose common maximum exceeds them least.
class CourseRecorder {
 public:
  /// The use so far, `span` (unimpeded) after the last call.
  void see(Duration span, const JobUsage& usage);
  /// The course of a run whose use at its end was `last`, `span` after the last call. The highest
  /// step is as high as the peak: measurements miss some. Empty if the run took no time.
  MemoryCourse until(Duration span, const JobUsage& last) const;

 private:
  std::array<MemoryStep, MemoryCourse::kMostSteps + 1> steps_{};
  std::size_t count_ = 0;
};

/// What runs of one key say together: at each time the mean over all, and over their squares. Empty
/// if there is none; pointers must not be null.
MemoryProfile profile_of(std::span<const MemoryCourse* const> runs);

/// As stored: "4:104857600 9:943718400", ends in seconds and bytes.
std::string to_text(const MemoryCourse& course);
/// nullopt for anything that `to_text` does not write.
std::optional<MemoryCourse> parse_course(std::string_view text);

}  // namespace sluice
