#pragma once

#include <string>
#include <variant>

#include "record/segment.h"

namespace sluice::cli {

/// A time as people give it, before `now`: "14:05" or "14:05:30", the last one in local time;
/// "2026-03-01 14:05:30", likewise local; the same with Z or an offset from it;
/// "@1772373900.5", seconds since 1970; or "2h", that long ago. A date may be followed by "T" and a
/// second by up to nine decimals. Else a sentence that says why it is none, and which forms are:
/// "`soon` is not a time such as 14:05, ...".
std::variant<record::WallTime, std::string> moment_of(const std::string& text,
                                                      record::WallTime now);

/// The explanation of these for messages and help.
inline constexpr const char* kMomentForms =
    "14:05, 2026-03-01 14:05 (local), 2026-03-01T14:05:00.5Z, 2026-03-01T16:05:00+02:00, "
    "@1772373900.5 or 2h (ago)";

/// Cut, as times are in JSON.
inline record::WallTime in_milliseconds(record::WallTime time) {
  return std::chrono::floor<std::chrono::milliseconds>(time);
}

/// "2026-03-01 14:05:30", in local time.
std::string local_time(record::WallTime time);
/// "2026-03-01 14:05:30.635"; cut, as times are in JSON.
std::string local_time_in_milliseconds(record::WallTime time);

}  // namespace sluice::cli
