#pragma once

#include "governor/law/window.h"

namespace sluice {

/// `law: rfc`: see `step_window`.
WindowStep step_rfc(const WindowParameters& parameters, const WindowState& state,
                    const WindowInput& input);

}  // namespace sluice
