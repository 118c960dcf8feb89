#pragma once

#include "base/log.h"
#include "sluice/governor.h"

namespace sluice {

/// Logs a governor's events, one line each: every change of the window with its cause, and every
/// change of a sensor's verdict.
GovernorEvents log_events(const Log& log);

}  // namespace sluice
