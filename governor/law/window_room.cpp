#include "governor/law/window_room.h"

#include <algorithm>

#include "governor/law/liveness.h"

namespace sluice {

Refusal refused_in(const Room& room, RefusalCode code, std::string_view binding, Points cost) {
  return {.code = code,
          .binding = binding,
          .cost = cost,
          .usage = room.usage,
          .size = room.size,
          .ahead = {}};
}

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
    return refused_in(room, RefusalCode::draining, "draining", Points{});
  }
  if (room.operated == Switch::paused) {
    return refused_in(room, RefusalCode::paused, "pause", Points{});
  }
  if (!room.red.empty()) return refused_in(room, RefusalCode::sensor, room.red, Points{});
  return std::nullopt;
}

std::vector<Refusal> all_closed(const Room& room, std::span<const JudgedSensor> sensors) {
  std::vector<Refusal> all;
  if (auto first = closed(room)) all.push_back(*first);
  const bool is_named = !all.empty() && all.front().code == RefusalCode::sensor;
  const auto name = [&](std::string_view sensor) {
    if (is_named && sensor == room.red) return;
    all.push_back(refused_in(room, RefusalCode::sensor, sensor, Points{}));
  };
  // `room.red` may be the governor's own `starting` gate, which is not among the sensors.
  const bool is_among = std::any_of(sensors.begin(), sensors.end(),
                                    [&](const auto& each) { return each.name == room.red; });
  if (!room.red.empty() && !is_among) name(room.red);
  for (const JudgedSensor& sensor : sensors) {
    if (sensor.red) name(sensor.name);
  }
  return all;
}

bool fits_window(Points usage, Points cost, Points size) {
  return nothing_runs(usage) || usage + cost <= size;
}

std::optional<Refusal> refuse(const Room& room, Points cost) {
  if (auto refusal = closed(room)) {
    refusal->cost = cost;
    return refusal;
  }
  if (fits_window(room.usage, cost, room.size)) return std::nullopt;
  return refused_in(room, RefusalCode::window, "window", cost);
}

std::optional<Refusal> full(const Room& room) {
  if (auto refusal = closed(room)) return refusal;
  if (room.usage < room.size) return std::nullopt;
  return refused_in(room, RefusalCode::window, "window", Points{});
}

}  // namespace sluice
