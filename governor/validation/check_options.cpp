#include "governor/validation/check_options.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>

#include "governor/validation/check_queueing.h"

namespace sluice {
namespace {

struct Rule {
  bool holds;
  const char* message;
};

template <std::size_t N>
void check_rules(const Rule (&rules)[N]) {
  for (const Rule& rule : rules) {
    if (!rule.holds) throw std::invalid_argument(rule.message);
  }
}

// The rules are written so that NaN breaks them.

void check_window(const WindowParameters& window) {
  const Rule rules[] = {
      {window.minimum >= Points{1}, "window.minimum must be at least 1 point"},
      {window.maximum <= kMostPoints, "window.maximum must be at most 16777215 points"},
      {window.minimum <= window.maximum, "window.minimum must not be above window.maximum"},
      {window.initial >= window.minimum && window.initial <= window.maximum,
       "window.initial must be between window.minimum and window.maximum"},
      {window.step >= Points{1}, "window.step must be at least 1 point"},
      {window.increase_above > 0 && window.increase_above <= 1,
       "window.increase_above must be above 0 and at most 1"},
      {window.interval >= std::chrono::milliseconds(1) && window.interval <= std::chrono::hours(1),
       "window.interval must be from 1ms to 1h"},
      {window.round >= Duration{0}, "window.round must not be negative"},
      {window.cut_settle >= Duration{0}, "window.cut_settle must not be negative"},
      {window.idle_restart >= Duration{0}, "window.idle_restart must not be negative"},
      {window.dwell >= Duration{0}, "window.dwell must not be negative"},
      {window.cut_gain > 0 && window.cut_gain <= 1,
       "window.cut_gain must be above 0 and at most 1"},
      {window.hard >= 1, "window.hard must be at least 1"},
  };
  check_rules(rules);
}

/// The limits of `memory` in the configuration.
void check_reservation(const ReservationOptions& reservation) {
  constexpr Bytes kMostPrior{std::uint64_t{1} << 50};
  const Rule rules[] = {
      {reservation.reserve >= 0 && reservation.reserve < 1,
       "reservation.reserve must be at least 0 and below 1"},
      {reservation.z >= 0 && reservation.z <= 10, "reservation.z must be from 0 to 10"},
      {reservation.prior >= Bytes{1} && reservation.prior <= kMostPrior,
       "reservation.prior must be from 1 byte to 1024 TiB"},
      {reservation.retries >= 0 && reservation.retries <= 100,
       "reservation.retries must be from 0 to 100"},
  };
  check_rules(rules);
}

bool is_sensor_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void check_sensor(const Sensor& sensor) {
  const std::string path = "sensors." + sensor.name;
  if (!is_sensor_name(sensor.name)) {
    throw std::invalid_argument(path + ": a name is made of a-z, 0-9 and _");
  }
  if (!sensor.measure) throw std::invalid_argument(path + ": has no measuring function");
  if (!(sensor.policy.resume > 0 && sensor.policy.resume <= 1)) {
    throw std::invalid_argument(path + ".resume must be above 0 and at most 1");
  }
  if (sensor.policy.max_age <= Duration{0}) {
    throw std::invalid_argument(path + ".max_age must be above 0");
  }
}

}  // namespace

void check_options(const GovernorOptions& options, const std::vector<Sensor>& sensors,
                   const CostModel& cost_model) {
  check_window(options.window);
  check_reservation(options.reservation);
  if (options.least_cost < Points{1} || options.least_cost > kMostPoints) {
    throw std::invalid_argument("least_cost must be from 1 to 16777215 points");
  }
  if (options.starting_most < 1 || options.starting_floor < 1) {
    throw std::invalid_argument("sensors.starting: most and floor must be at least 1");
  }
  check_queueing(options.queueing);
  if (!cost_model) throw std::invalid_argument("cost: there is no cost model");
  std::set<std::string> names{"pause", "starting"};
  for (const Sensor& sensor : sensors) {
    check_sensor(sensor);
    if (!names.insert(sensor.name).second) {
      throw std::invalid_argument("sensors." + sensor.name + ": this name is already in use");
    }
  }
}

}  // namespace sluice
