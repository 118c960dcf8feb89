#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "costmodel/memory_course.h"
#include "sluice/cpu_profile.h"
#include "sluice/usage.h"

namespace sluice {

// What a run looked like over time, from the measurements taken of it. Pure.

/// Reduces the measurements of one run to a profile as they come, in constant space: of seven
/// phases it joins the two neighbours that differ least.
class ProfileRecorder {
 public:
  /// The use so far. Less than a fifth of a second after the last measurement it is left for the
  /// next: CPU time is counted in ticks of 10 ms.
  void see(const JobUsage& usage);
  /// The profile of a run whose use at its end was `last`. Neighbours that hardly differ are one
  /// phase. Empty if the run took no time.
  CpuProfile until(const JobUsage& last) const;
  /// The same for its memory, see memory_course.h.
  MemoryCourse memory_until(const JobUsage& last) const;

 private:
  struct Part {
    double seconds = 0, work = 0;  ///< Unimpeded; core seconds.
  };
  friend CpuProfile envelope(std::span<const CpuProfile* const> runs);

  void add(Part part);
  void join(std::size_t first);
  void join_alike();
  std::size_t most_alike() const;
  Part rest(const JobUsage& usage) const;
  CpuProfile profile() const;

  std::array<Part, CpuProfile::kMostPhases + 1> parts_{};
  std::size_t count_ = 0;
  Duration wall_{0}, cpu_{0}, delay_{0};
  CourseRecorder memory_;
};

/// At each time the most that any of the runs needed; pointers must not be null.
CpuProfile envelope(std::span<const CpuProfile* const> runs);

/// The ramp: time until a run first needs half of the most it ever needs. 0 if that is less than a
/// tenth of a core; else one to five seconds. A run that takes longer to begin does not ramp up: it
/// waits, and its phases say so.
Duration ramp_of(const CpuProfile& profile);

/// The cores of the busiest phase that begins a second or more after the start, of those that use
/// half a core second or more; 0 if there is none.
double late_cores(const CpuProfile& profile);

/// As stored: "4:0.01 5:1", ends in seconds and cores.
std::string to_text(const CpuProfile& profile);
/// nullopt for anything that `to_text` does not write.
std::optional<CpuProfile> parse_profile(std::string_view text);

}  // namespace sluice
