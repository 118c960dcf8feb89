#include <string>

#include "sluice/job.h"
#include "sluice/prediction.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"
#include "sluice/usage.h"

namespace sluice {

std::string_view to_string(Acts acts) { return acts == Acts::congestion ? "congestion" : "gate"; }

std::string_view to_string(OnError on_error) {
  switch (on_error) {
    case OnError::hold:
      return "hold";
    case OnError::red:
      return "red";
    case OnError::green:
      return "green";
    case OnError::ignore:
      return "ignore";
  }
  return "";
}

std::string_view to_string(JobUsage::Source source) {
  switch (source) {
    case JobUsage::Source::cgroup:
      return "cgroup";
    case JobUsage::Source::processes:
      return "processes";
    case JobUsage::Source::reported:
      return "reported";
  }
  return "";
}

std::string_view to_string(Rung rung) {
  switch (rung) {
    case Rung::declared:
      return "declared";
    case Rung::key:
      return "key";
    case Rung::program:
      return "program";
    case Rung::everything:
      return "everything";
    case Rung::prior:
      return "prior";
  }
  return "";
}

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

std::string_view to_string(WindowCause cause) {
  switch (cause) {
    case WindowCause::slow_start:
      return "slow_start";
    case WindowCause::growth:
      return "growth";
    case WindowCause::red:
      return "red";
    case WindowCause::idle_restart:
      return "idle_restart";
    case WindowCause::knee:
      return "knee";
    case WindowCause::yield:
      return "yield";
    case WindowCause::unused:
      return "unused";
    case WindowCause::reload:
      return "reload";
  }
  return "";
}

std::string_view to_string(Law law) {
  if (law == Law::knee) return "knee";
  return law == Law::rfc ? "rfc" : "adaptive";
}

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::ratio:
      return "ratio";
    case Unit::bytes:
      return "bytes";
    case Unit::tasks:
      return "tasks";
    case Unit::count:
      return "count";
  }
  return "";
}

std::string_view to_string(RefusalCode code) {
  switch (code) {
    case RefusalCode::window:
      return "window";
    case RefusalCode::sensor:
      return "sensor";
    case RefusalCode::paused:
      return "paused";
    case RefusalCode::draining:
      return "draining";
    case RefusalCode::queue_paused:
      return "queue_paused";
    case RefusalCode::frozen:
      return "frozen";
    case RefusalCode::resource:
      return "resource";
    case RefusalCode::contention:
      return "contention";
    case RefusalCode::memory:
      return "memory";
    case RefusalCode::dependency:
      return "dependency";
    case RefusalCode::rule:
      return "rule";
    case RefusalCode::rate_limit:
      return "rate_limit";
    case RefusalCode::held_for:
      return "held_for";
    case RefusalCode::behind:
      return "behind";
    case RefusalCode::impossible:
      return "impossible";
    case RefusalCode::cancelled:
      return "cancelled";
    case RefusalCode::max_pending:
      return "max_pending";
    case RefusalCode::invalid:
      return "invalid";
  }
  return "";
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

std::string_view to_string(ResourceOptions::Kind kind) {
  switch (kind) {
    case ResourceOptions::Kind::quantity:
      return "quantity";
    case ResourceOptions::Kind::discrete:
      return "discrete";
    case ResourceOptions::Kind::highlander:
      return "highlander";
  }
  return "";
}

std::string_view to_string(ContentionMode mode) {
  switch (mode) {
    case ContentionMode::off:
      return "off";
    case ContentionMode::order:
      return "order";
    case ContentionMode::hold:
      return "hold";
  }
  return "";
}

}  // namespace sluice
