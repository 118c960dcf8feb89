#pragma once

#include "governor/law/window.h"

namespace sluice {

/// Slow start below the threshold, by a factor of 2^h; above it growth by `step` x h. h is the
/// headroom of the worst congestion sensor.
WindowStep grow_window(const WindowParameters& parameters, WindowState state, double pressure);

}  // namespace sluice
