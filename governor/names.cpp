#include <algorithm>
#include <string>

#include "sluice/job.h"
#include "sluice/refusal.h"
#include "sluice/sensor.h"
#include "sluice/status.h"

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
    case WindowCause::reload:
      return "reload";
  }
  return "";
}

std::string_view to_string(Law law) { return law == Law::rfc ? "rfc" : "adaptive"; }

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

std::string to_sentence(const Refusal& refusal) {
  const auto number = [](Points points) { return std::to_string(points.value); };
  const auto job = [](JobId id) { return "job " + std::to_string(id.value); };
  const std::string binding(refusal.binding);
  const std::string free =
      std::to_string(refusal.free) + " of " + std::to_string(refusal.total) + " free";
  switch (refusal.code) {
    case RefusalCode::window: {
      const Points left = refusal.size - std::min(refusal.usage, refusal.size);
      const std::string room = number(left) + " of " + number(refusal.size) + " points are free";
      return refusal.cost > Points{0} ? "needs " + number(refusal.cost) + " points, " + room : room;
    }
    case RefusalCode::sensor:
      return "sensor " + binding + " is red";
    case RefusalCode::paused:
      return "paused by the operator";
    case RefusalCode::draining:
      return "draining: no more work is taken";
    case RefusalCode::queue_paused:
      return "queue " + binding + " is paused";
    case RefusalCode::frozen:
      return "frozen by hand";
    case RefusalCode::resource:
      return "needs " + std::to_string(refusal.needs) + " of " + binding + ", " + free;
    case RefusalCode::contention:
      return binding == "global_lock" ? "would certainly block: the global lock"
                                      : "would certainly block on level " + binding;
    case RefusalCode::memory:
      return "declares " + std::to_string(refusal.needs) + " bytes of memory, " + free;
    case RefusalCode::dependency:
      return "comes after " + job(refusal.ahead) + ", which has not ended well";
    case RefusalCode::rule:
      return "kept back by " + binding;
    case RefusalCode::rate_limit:
      return "rate limit " + binding + ": " + std::to_string(refusal.total - refusal.free) +
             " run, of at most " + std::to_string(refusal.total);
    case RefusalCode::held_for:
      return "room is kept for " + job(refusal.ahead) + ", which has waited longest";
    case RefusalCode::behind:
      return "behind " + job(refusal.ahead) + ", which is first in line";
    case RefusalCode::impossible:
      if (!binding.empty() && binding != "window") {
        return "needs " + std::to_string(refusal.needs) + " of " + binding + ", which has " +
               std::to_string(refusal.total);
      }
      return "needs " + number(refusal.cost) + " points, more than the largest window of " +
             number(refusal.size);
    case RefusalCode::cancelled:
      return "cancelled before it ran";
    case RefusalCode::max_pending:
      return "as many jobs wait as may (service.max_pending)";
    case RefusalCode::invalid:
      return "names something that is not there: " + binding;
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
