#pragma once

#include <optional>

#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// Whether this executor has been announced as accepting work.
struct RegistrationState {
  bool announced = false;  ///< Something was announced.
  bool registered = false;
  TimePoint deregistered_at;
};

struct RegistrationStep {
  RegistrationState state;
  bool changed = false;           ///< Announce now.
  std::optional<TimePoint> wake;  ///< When to check again even without an event.
};

/// Deregisters at once and registers again only after `dwell`, so that a governor at the edge of
/// full does not flap. `full`: why no work is accepted; nullopt if work is.
RegistrationStep step_registration(const RegistrationState& state,
                                   const std::optional<Refusal>& full, Duration dwell,
                                   TimePoint now);

}  // namespace sluice
