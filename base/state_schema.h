#pragma once

#include <cstdint>

// The versions of the files in a state folder that this Sluice writes, and up to which it reads
// them.

namespace sluice {

/// Of history.db, in its `user_version`.
inline constexpr std::uint32_t kHistorySchema = 3;

/// Of jobs.db, likewise.
inline constexpr std::uint32_t kJobsSchema = 1;

/// Of the segments of a record, and what each begins with before its version.
inline constexpr std::uint32_t kRecordFormat = 1;
inline constexpr char kRecordMagic[] = "SLUICEREC\n";

}  // namespace sluice
