#pragma once

#include <functional>

#include "sluice/sensor.h"
#include "sluice/units.h"

namespace sluice {

/// A sensor that may block, made fit for the window thread: a thread of its own measures it every
/// `every`, from now on, and `measure` gives the last finished measurement with the time at which
/// it was taken, so that a hung one grows stale. `measure` never waits, except that the first call
/// waits up to 50 ms for the first measurement; before there is one it is a failure. An exception
/// of the inner sensor is a failed measurement.
///
/// When the last copy of the sensor is destroyed the thread ends at once; a measurement that hangs
/// is left behind and ends whenever it can. `now` is called on that thread. Throws
/// std::system_error where no thread can be started.
Sensor in_worker(Sensor inner, Duration every, std::function<TimePoint()> now = Clock::now);

}  // namespace sluice
