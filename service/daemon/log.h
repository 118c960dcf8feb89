#pragma once

#include "base/log.h"
#include "sluice/governor.h"

namespace sluice {

/// A governor's events as lines of the log: each change of the window with its cause, and of
/// a sensor's verdict.
GovernorEvents log_events(const Log& log);

}  // namespace sluice
