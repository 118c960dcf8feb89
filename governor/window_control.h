#pragma once

#include <optional>

#include "governor/core_state.h"
#include "governor/law/registration.h"
#include "governor/law/window.h"
#include "sluice/refusal.h"

// How the window follows the sensors, and when it counts as full.

namespace sluice {

/// Records for the next run of the control law whether jobs wait for the size, which growth would
/// help, or for memory. A wait for the CPUs is neither.
void record_refusal(CoreState& core, const Refusal& refused);

/// Runs the control law once.
std::optional<WindowChange> adjust_window(CoreState& core, TimePoint now);
std::optional<WindowChange> change_window(CoreState& core, const WindowStep& step, TimePoint now);

/// Why no work should be sent; nullopt if there is no reason.
std::optional<Refusal> why_full(const CoreState& core);
/// Whether the window is used up or, under `knee`, our own jobs keep the machine at its knee;
/// ignores switches and sensors.
bool is_full(const CoreState& core);

/// Whether to announce that work is accepted, or no longer accepted.
RegistrationStep check_registration(CoreState& core, TimePoint now);

}  // namespace sluice
