#pragma once

#include <optional>
#include <string>

#include "record/segment.h"

namespace sluice::cli {

/// A time as people give it, before `now`: "14:05" or "14:05:30", the last one in local time;
/// "2026-03-01 14:05", likewise local; "2026-03-01T14:05:00Z"; "@1772373900.5", seconds since 1970;
/// or "2h", that long ago.
std::optional<record::WallTime> moment_of(const std::string& text, record::WallTime now);

/// The explanation of these for messages and help.
inline constexpr const char* kMomentForms =
    "14:05, 2026-03-01 14:05 (local), 2026-03-01T14:05:00Z, @1772373900.5 or 2h (ago)";

/// The border of a span: `otherwise` if `text` is empty. nullopt, after a line that begins with
/// `what` on standard error, if it is no time.
std::optional<record::WallTime> bound_of(const char* what, const std::string& text,
                                         record::WallTime otherwise);

/// "2026-03-01 14:05:30", in local time.
std::string local_time(record::WallTime time);

}  // namespace sluice::cli
