#pragma once

#include "governor/law/window.h"

namespace sluice {

/// Growth by a factor of 2^h below the threshold and by `step` x h above it; h is the headroom of
/// the worst congestion sensor.
WindowStep grow_window(const WindowParameters& parameters, WindowState state, double pressure);

}  // namespace sluice
