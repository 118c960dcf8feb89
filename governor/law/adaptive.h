#pragma once

#include "governor/law/window.h"

namespace sluice {

/// `law: adaptive`: see `step_window`.
WindowStep step_adaptive(const WindowParameters& parameters, WindowState state,
                         const WindowInput& input);

}  // namespace sluice
