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
    case RefusalCode::behind:
      return "behind";
    case RefusalCode::impossible:
      return "impossible";
    case RefusalCode::cancelled:
      return "cancelled";
    case RefusalCode::max_pending:
      return "max_pending";
  }
  return "";
}

std::string to_sentence(const Refusal& refusal) {
  const auto number = [](Points points) { return std::to_string(points.value); };
  switch (refusal.code) {
    case RefusalCode::window: {
      const Points free = refusal.size - std::min(refusal.usage, refusal.size);
      const std::string room = number(free) + " of " + number(refusal.size) + " points are free";
      return refusal.cost > Points{0} ? "needs " + number(refusal.cost) + " points, " + room : room;
    }
    case RefusalCode::sensor:
      return "sensor " + std::string(refusal.binding) + " is red";
    case RefusalCode::paused:
      return "paused by the operator";
    case RefusalCode::draining:
      return "draining: no more work is taken";
    case RefusalCode::behind:
      return "behind job " + std::to_string(refusal.ahead.value) + ", which is first in line";
    case RefusalCode::impossible:
      return "needs " + number(refusal.cost) + " points, more than the largest window of " +
             number(refusal.size);
    case RefusalCode::cancelled:
      return "cancelled before it ran";
    case RefusalCode::max_pending:
      return "as many jobs wait as may (service.max_pending)";
  }
  return "";
}

}  // namespace sluice
