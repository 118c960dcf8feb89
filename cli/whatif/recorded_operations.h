#pragma once

#include "cli/whatif/recorded_events.h"
#include "cli/whatif/recorded_work.h"
#include "config/scenario.h"

namespace sluice::cli {

/// Adds what operators did in that time, and as it begins what they had done before and nobody had
/// taken back: the host or queues are paused, or the host drains. A daemon that starts, and a
/// reload that pauses or resumes a queue, take it back. Call this once the scenario has its
/// configuration and its reloads. Pure.
void add_operations(const RecordedWork& work, const RecordedSpan& span, Scenario& scenario);

}  // namespace sluice::cli
