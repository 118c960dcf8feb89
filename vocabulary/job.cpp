#include "sluice/job.h"

namespace sluice {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::oom:
      return "oom";
    case Outcome::cancelled:
      return "cancelled";
    case Outcome::unknown:
      return "unknown";
  }
  return "";
}

std::string_view to_string(JobState state) {
  return state == JobState::pending ? "pending" : "running";
}

std::string_view to_string(OnFailure on_failure) {
  switch (on_failure) {
    case OnFailure::cancel:
      return "cancel";
    case OnFailure::run:
      return "run";
    case OnFailure::hold:
      return "hold";
  }
  return "";
}

}  // namespace sluice
