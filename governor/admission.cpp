#include "governor/admission.h"

namespace sluice {
namespace {

Refusal said_of(const Room& room, RefusalCode code, std::string_view binding, Points cost) {
  return Refusal{code, binding, cost, room.usage, room.size, JobId{}, 0, 0, 0};
}

}  // namespace

std::string_view worst_red(std::span<const JudgedSensor> sensors) {
  std::string_view worst;
  double pressure = -1;
  for (const JudgedSensor& sensor : sensors) {
    if (!sensor.red || sensor.pressure <= pressure) continue;
    worst = sensor.name;
    pressure = sensor.pressure;
  }
  return worst;
}

std::optional<Refusal> closed(const Room& room) {
  if (room.operated == Switch::draining) {
    return said_of(room, RefusalCode::draining, "draining", Points{});
  }
  if (room.operated == Switch::paused) {
    return said_of(room, RefusalCode::paused, "pause", Points{});
  }
  if (!room.red.empty()) return said_of(room, RefusalCode::sensor, room.red, Points{});
  return std::nullopt;
}

std::optional<Refusal> refuse(const Room& room, Points cost) {
  if (auto refusal = closed(room)) {
    refusal->cost = cost;
    return refusal;
  }
  const bool idle = room.usage == Points{0};
  if (idle || room.usage + cost <= room.size) return std::nullopt;
  return said_of(room, RefusalCode::window, "window", cost);
}

std::optional<Refusal> full(const Room& room) {
  if (auto refusal = closed(room)) return refusal;
  if (room.usage < room.size) return std::nullopt;
  return said_of(room, RefusalCode::window, "window", Points{});
}

}  // namespace sluice
