#pragma once

#include <optional>

#include "sluice/refusal.h"
#include "sluice/units.h"

namespace sluice {

/// Whether the world has been told that this executor takes work.
struct RegistrationState {
  bool announced = false;  ///< Anything was told yet.
  bool registered = false;
  TimePoint deregistered_at;
};

struct RegistrationStep {
  RegistrationState state;
  bool changed = false;           ///< To be told now.
  std::optional<TimePoint> wake;  ///< When to look again although nothing happens.
};

/// Deregister at once, register again only after `dwell`, so that a governor at the edge of full
/// does not flap. `full` is why no work is taken; none: work is taken.
RegistrationStep step_registration(const RegistrationState& state,
                                   const std::optional<Refusal>& full, Duration dwell,
                                   TimePoint now);

}  // namespace sluice
