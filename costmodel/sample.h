#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "costmodel/cpu_profile.h"
#include "costmodel/estimate.h"
#include "costmodel/memory_course.h"
#include "sluice/job.h"
#include "sluice/usage.h"

namespace sluice {

/// One past run of a job, as recorded.
struct Sample {
  std::string key;
  std::string program;
  std::int64_t ended = 0;  ///< Seconds since 1970.
  Outcome outcome = Outcome::ok;
  double busy_cores = 0;  ///< See `JobUsage::busy_cores`.
  Bytes peak_memory;      ///< If killed for memory: at least 1.5 x its reservation.
  Duration wall{0};
  std::string user = {};  ///< See `JobRequest::user`.
  SeenBy seen_by = SeenBy::client;
  std::string variant = {};  ///< See `JobRequest::variant`.
  CpuProfile profile = {};   ///< Empty if unknown.
  MemoryCourse memory = {};  ///< Empty if unknown.
};

/// The sample of a finished run. `used`: its total use, from the source `seen_by`; `reserved`: the
/// memory reserved for it, 0 if none; `ended`: seconds since 1970; `recorded`: the measurements
/// taken of it; null if none were.
Sample sample_of(const JobRequest& job, const JobUsage& used, SeenBy seen_by, Outcome outcome,
                 Bytes reserved, std::int64_t ended, const ProfileRecorder* recorded = nullptr);

/// Selects samples; an unset field matches anything.
struct SampleFilter {
  std::optional<std::string> user = {}, key = {};
  std::optional<std::int64_t> since = {};  ///< Ended then or later; seconds since 1970.
};

/// Limits of what is recorded. The keys of user `""` have a limit of their own, and those of all
/// other users share one: nobody can displace what root's jobs taught. Beyond a limit, the key that
/// last ran longest ago is dropped: of user `""`, or of the other user with the most keys.
inline constexpr std::size_t kSamplesPerKey = 50;
inline constexpr std::size_t kMostKeys = 10'000;
/// Users beside `""`; the one that last ran longest ago is dropped first.
inline constexpr std::size_t kMostUsers = 256;

}  // namespace sluice
