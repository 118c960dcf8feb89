#pragma once

#include <string>
#include <vector>

#include "cli/whatif/recorded_work.h"
#include "config/scenario.h"

namespace sluice::cli {

/// A part of a record, and the times in it as those of a scenario.
struct RecordedSpan {
  When from, to;     ///< Its first and its last entry.
  When first, last;  ///< Of these, of jobs and levels.

  bool has(const When& when) const { return from <= when && when <= to; }
  /// 0 for what was before.
  Duration at(const When& when) const { return between(first, when); }
  Duration end() const { return at(last); }
};

/// The part of the record, which has entries.
RecordedSpan span_of(const RecordedWork& work);

/// Adds the readings of the sensors that depend on no job.
void add_pressures(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario);
/// Removes the readings of sensors that the configuration lacks: a replay would count them red.
void drop_unknown_sensors(Scenario& scenario);

/// Removes pauses and resumptions of queues that the configuration lacks; the names of these.
std::vector<std::string> drop_unknown_queues(Scenario& scenario);

/// Options such as "sensors.disk.limit" whose value at the begin of the scenario differs from that
/// in force at its begin in the record, of sensors that `add_pressures` adds: their readings are
/// parts of the recorded limit.
std::vector<std::string> changed_limits(const RecordedWork& work, const Scenario& scenario);

}  // namespace sluice::cli
