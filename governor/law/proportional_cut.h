#pragma once

#include "governor/law/congestion_signal.h"
#include "governor/law/window.h"

namespace sluice {

/// One cut, however many sensors are red: in proportion to the excess (Breakwater, OSDI 2020), at
/// most one in `cut_settle`, and none before the last one has taken effect, unless the pressure is
/// `hard`.
WindowStep cut_window(const WindowParameters& parameters, WindowState state,
                      const WindowInput& input, const Congestion& congestion);

}  // namespace sluice
