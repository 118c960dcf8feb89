#include "sluice/status.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/enum_names.h"

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

std::string to_sentence(const Refusal& refusal, const Status& status, const JobNames& names) {
  const std::string sentence = to_sentence(refusal, names);
  if (refusal.code != RefusalCode::sensor) return sentence;
  for (const SensorStatus& sensor : status.sensors) {
    if (sensor.name != refusal.binding) continue;
    if (!sensor.up && !sensor.failure.empty()) return sentence + ": " + sensor.failure;
    if (sensor.reading && !sensor.reading->sentence.empty())
      return sentence + ": " + sensor.reading->sentence;
  }
  return sentence;
}

std::string_view to_string(WindowCause cause) {
  static constexpr EnumNames<WindowCause::unused> kNames{
      "slow_start", "growth", "red", "idle_restart", "reload", "knee", "yield", "unused"};
  return kNames.of(cause);
}

std::string_view to_string(Law law) {
  if (law == Law::knee) return "knee";
  return law == Law::rfc ? "rfc" : "adaptive";
}

std::string_view to_string(Unit unit) {
  static constexpr EnumNames<Unit::count> kNames{"ratio", "bytes", "tasks", "count"};
  return kNames.of(unit);
}

std::string_view to_string(ResourceOptions::Kind kind) {
  static constexpr EnumNames<ResourceOptions::Kind::highlander> kNames{"quantity", "discrete",
                                                                       "highlander"};
  return kNames.of(kind);
}

std::string_view to_string(ContentionMode mode) {
  static constexpr EnumNames<ContentionMode::hold> kNames{"off", "order", "hold"};
  return kNames.of(mode);
}

}  // namespace sluice
