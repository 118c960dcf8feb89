#include "sluice/job.h"

#include "base/enum_names.h"

namespace sluice {

std::string_view to_string(Outcome outcome) {
  static constexpr EnumNames<Outcome::unknown> kNames{"ok", "failed", "oom", "cancelled",
                                                      "unknown"};
  return kNames.of(outcome);
}

std::string_view to_string(JobState state) {
  return state == JobState::pending ? "pending" : "running";
}

std::string_view to_string(OnFailure on_failure) {
  static constexpr EnumNames<OnFailure::hold> kNames{"cancel", "run", "hold"};
  return kNames.of(on_failure);
}

}  // namespace sluice
