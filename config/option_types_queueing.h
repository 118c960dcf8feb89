#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/option_types.h"
#include "sluice/locks.h"

namespace sluice {

/// on, off, true or false; printed as true or false.
ValueType<bool> switch_type();

/// A number with at most one decimal place, in tenths.
ValueType<int> tenths_type(Range<int> range);

/// A valid name of a lock, level, queue or manager.
ValueType<std::string> name_type();

/// Any text of 1 to 255 bytes without control characters.
ValueType<std::string> label_type();

/// The same, or empty.
ValueType<std::string> optional_label_type();

/// A job's key, or empty.
ValueType<std::string> optional_key_type();

/// Labels; may repeat.
ValueType<std::vector<std::string>> label_list_type(Range<std::size_t> sizes);

/// Names of files, without a folder; may repeat.
ValueType<std::vector<std::string>> file_name_list_type(Range<std::size_t> sizes);

/// The latest instant and the longest time of a scenario: sums of a few fit into a `Duration`.
inline constexpr Duration kMostInstant = std::chrono::hours(24 * 10'000);

/// A time from 0 to `kMostInstant` that needs no rounding.
ValueType<Duration> instant_type();

/// Parsed lock declarations by level; at most `kMostLockNames` names across all levels.
ValueType<std::vector<LevelLocks>> locks_type();

/// Names without repeats.
ValueType<std::vector<std::string>> name_list_type(Range<std::size_t> sizes);

/// Amounts >= 0 by name.
ValueType<std::map<std::string, std::int64_t>> amounts_type();

/// Lock declarations by level, in which `{param}` stands for a job's parameters.
ValueType<std::map<std::string, std::string>> lock_templates_type();

}  // namespace sluice
