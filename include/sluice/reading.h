#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Upper bound of any pressure, however far over a limit something is.
inline constexpr double kMostPressure = 100;

/// The unit of a value; decides how it is shown and exported.
enum class Unit { ratio, bytes, tasks, count };

/// One value that a sensor compares with its limit.
struct Condition {
  std::string name;             ///< Unique within the reading: "available", "inodes", "throttled".
  double value = 0;             ///< In `unit`.
  std::optional<double> limit;  ///< In `unit`; nullopt if there is no limit, which differs from 0.
  std::optional<double> total;  ///< The whole that `value` is a part of, if there is one.
  Unit unit = Unit::ratio;
  double pressure = 0;  ///< 0 idle, 1 at the limit, above 1 over it; within [0, kMostPressure].
};

/// The result of reading a sensor. Its pressure is that of the worst condition.
struct Reading {
  std::vector<Condition> conditions;
  std::size_t worst = 0;  ///< Index of the binding condition; 0 also if there is none.
  std::string sentence;   ///< For people: "load 3.1 of at most 5.0 (2 CPUs)".
  std::string source;     ///< The place read, if there is a choice: a cgroup path, a mount point.

  /// The worst condition's pressure; 0 if there is no condition.
  double pressure() const { return conditions.empty() ? 0 : conditions[worst].pressure; }
};

/// Why a read failed: one line that names the file or the call.
struct ReadFailure {
  std::string what;
};

/// One attempt to read a sensor, and its time.
struct Measurement {
  TimePoint taken;
  std::variant<Reading, ReadFailure> result;
};

}  // namespace sluice
