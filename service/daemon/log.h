#pragma once

#include <string>

#include "base/log.h"
#include "sluice/governor.h"

namespace sluice {

/// Logs a governor's events, one line each: every change of the window with its cause, and every
/// change of a sensor's verdict.
GovernorEvents log_events(const Log& log);

/// Logs to standard error. Under a service manager each line starts with its priority, "<6>", and
/// without a time, which the journal adds; otherwise with time and level, in colour only on a
/// terminal. `origin` is before all but the priority: where daemons share a file, "[PID] ".
Log log_to_stderr(const std::string& origin);

}  // namespace sluice
