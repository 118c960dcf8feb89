#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// What a number measures; decides how it is shown and exported.
enum class Unit { ratio, bytes, tasks, count };

/// One thing that a sensor compares with its limit.
struct Condition {
  std::string name;             ///< "available", "inodes", "throttled": unique within the reading.
  double value = 0;             ///< In `unit`.
  std::optional<double> limit;  ///< In `unit`; none where nothing limits it, which is not 0.
  std::optional<double> total;  ///< The whole that `value` is a part of, where there is one.
  Unit unit = Unit::ratio;
  double pressure = 0;  ///< 0 idle, 1 at the limit, above 1 over it; within [0, 100].
};

/// What a sensor saw. Its pressure is that of the worst condition.
struct Reading {
  std::vector<Condition> conditions;
  std::size_t worst = 0;  ///< Index of the binding condition; 0 also where there is none.
  std::string sentence;   ///< For people: "load 3.1 of at most 5.0 (2 CPUs)".
  std::string source;     ///< What was read, where that is a choice: a cgroup path, a mount point.

  /// The worst condition's pressure; 0 where there is none.
  double pressure() const { return conditions.empty() ? 0 : conditions[worst].pressure; }
};

/// Why a sensor could not be read: one line that names the file or the call.
struct ReadFailure {
  std::string what;
};

/// One attempt to read a sensor, and when it was made.
struct Measurement {
  TimePoint taken;
  std::variant<Reading, ReadFailure> result;
};

}  // namespace sluice
