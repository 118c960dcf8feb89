#pragma once

#include "governor/law/congestion_signal.h"
#include "governor/law/window.h"

namespace sluice {

/// Slow start below the threshold, by a factor of 2^h; above it growth by `step` x h. h is the
/// headroom of the worst congestion sensor.
WindowStep grow_window(const WindowParameters& parameters, WindowState state, double pressure);

/// One cut, however many sensors are red: in proportion to the excess (Breakwater, OSDI 2020), at
/// most one in `cut_settle`, and none before the last one has taken effect, unless the pressure is
/// `hard`.
WindowStep cut_window(const WindowParameters& parameters, WindowState state,
                      const WindowInput& input, const Congestion& congestion);

}  // namespace sluice
