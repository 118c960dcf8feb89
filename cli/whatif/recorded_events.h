#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/whatif/recorded_work.h"
#include "config/scenario.h"

namespace sluice::cli {

/// A part of a record, and the times in it as those of a scenario.
struct RecordedSpan {
  record::WallTime from = record::WallTime::min(), to = record::WallTime::max();
  When first, last;  ///< What the record has of it.

  bool has(const When& when) const { return when.wall >= from && when.wall <= to; }
  /// 0 for what was before.
  Duration at(const When& when) const { return between(first, when); }
  Duration end() const { return at(last); }
};

/// Finds `first` and `last` for a part of a record that has entries.
RecordedSpan span_of(const RecordedWork& work, record::WallTime from, record::WallTime to);

/// Adds what operators did in that time.
void add_operations(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario);

/// Adds the readings of the sensors that depend on no job.
void add_pressures(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario);

/// Options such as "sensors.disk.limit" whose value at the begin of the scenario differs from that
/// in force at `from`, of sensors that `add_pressures` adds: their readings are parts of the
/// recorded limit.
std::vector<std::string> changed_limits(const RecordedWork& work, record::WallTime from,
                                        const Scenario& scenario);

}  // namespace sluice::cli
