#include "sluice/status.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace sluice {
namespace {

std::string points_text(Points points) { return std::to_string(points.value); }

/// "0.18"
std::string hundredths_text(double value) {
  const std::int64_t rounded = std::llround(100 * value);
  const std::string digits = std::to_string(100 + rounded % 100);
  return std::to_string(rounded / 100) + "." + digits.substr(1);
}

std::string busy_text(const CpuStatus& cpu) {
  return std::to_string(std::llround(100 * cpu.busy)) + "% busy";
}

std::string by_cpu_text(const std::optional<CpuStatus>& cpu) {
  if (!cpu) return "";
  return ": " + busy_text(*cpu) + ", " + hundredths_text(cpu->waiting) + " tasks wait for each CPU";
}

std::string by_demand_text(const WindowChange& change) {
  if (!change.cpu) return "";
  return ": " + busy_text(*change.cpu) + ", " + std::to_string(change.pending) +
         (change.pending == 1 ? " job waits" : " jobs wait");
}

}  // namespace

std::string to_sentence(const WindowChange& change) {
  const std::string sizes =
      " " + points_text(change.from) + " -> " + points_text(change.to) + " points";
  switch (change.cause) {
    case WindowCause::slow_start:
    case WindowCause::growth:
      return "grown" + sizes + by_demand_text(change);
    case WindowCause::knee:
      return "holds " + points_text(change.to) + by_cpu_text(change.cpu);
    case WindowCause::yield:
      return "yields" + sizes + by_cpu_text(change.cpu);
    case WindowCause::unused:
      return "falls" + sizes + ", not half used" + by_cpu_text(change.cpu);
    case WindowCause::red:
      return "cut" + sizes + (change.sensor.empty() ? "" : " by " + change.sensor) +
             (change.said.empty() ? "" : ": " + change.said);
    case WindowCause::idle_restart:
      return "back" + sizes + ", idle for long";
    case WindowCause::reload:
      return "set" + sizes + " by the reloaded configuration";
  }
  return "";
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
