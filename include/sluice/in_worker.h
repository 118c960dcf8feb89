#pragma once

#include <functional>

#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// Wraps a sensor that may block for use on the window thread: a thread of its own measures it
/// every `every`, starting now, and `measure` returns the last finished measurement with its time,
/// so that a hung one becomes stale. `measure` never waits, except that the first call waits up to
/// 50 ms for the first measurement; before there is one it returns a failure. An exception of the
/// inner sensor is a failed measurement.
///
/// When the last copy of the sensor is destroyed, the thread ends at once; a hung measurement is
/// abandoned and ends whenever it can. `now` is called on that thread. Throws std::invalid_argument
/// if `every` is not from 1ms to 24h, and std::system_error if no thread can be started.
Sensor in_worker(Sensor inner, Duration every, std::function<TimePoint()> now = Clock::now);

}  // namespace sluice
