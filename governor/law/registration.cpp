#include "governor/law/registration.h"

namespace sluice {

RegistrationStep step_registration(const RegistrationState& state,
                                   const std::optional<Refusal>& full, Duration dwell,
                                   TimePoint now) {
  const bool wanted = !full.has_value();
  if (!state.announced) {
    return {RegistrationState{true, wanted, now - dwell}, true, std::nullopt};
  }
  if (wanted == state.registered) return {state, false, std::nullopt};
  if (!wanted) return {RegistrationState{true, false, now}, true, std::nullopt};
  const TimePoint due = state.deregistered_at + dwell;
  if (now < due) return {state, false, due};
  return {RegistrationState{true, true, state.deregistered_at}, true, std::nullopt};
}

}  // namespace sluice
