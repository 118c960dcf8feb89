#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/seconds.h"
#include "governor/core.h"

namespace sluice::fakes {

/// An instant of virtual time, in seconds.
inline TimePoint at(double seconds) { return TimePoint(from_seconds(seconds)); }

inline JobRequest costing(std::int64_t points, int priority = 0) {
  JobRequest job;
  job.cost = Points{points};
  job.priority = priority;
  return job;
}

inline JobRequest reporting_start(std::int64_t points) {
  JobRequest job = costing(points);
  job.reports_started = true;
  return job;
}

/// Opens at `size`; accepts jobs of up to `maximum`. The starting gate never applies.
inline GovernorOptions window_of(std::int64_t size, std::int64_t maximum) {
  GovernorOptions options;
  options.window.law = Law::rfc;
  options.window.initial = Points{size};
  options.window.minimum = Points{1};
  options.window.maximum = Points{maximum};
  options.window.threshold = Points{maximum};
  options.window.interval = std::chrono::milliseconds(2);
  options.starting_most = 1'000'000;
  return options;
}

/// A window that no poll changes.
inline GovernorOptions fixed_window(std::int64_t size) {
  GovernorOptions options = window_of(size, size);
  options.window.minimum = Points{size};
  return options;
}

inline CostModel flat(std::int64_t points) {
  return [points](const JobRequest&) { return Points{points}; };
}

inline Reading reading(double pressure) {
  Reading reading;
  reading.conditions.push_back({"value", pressure, 1.0, std::nullopt, Unit::ratio, pressure});
  reading.sentence = "dialled";
  return reading;
}

inline Measurement measured(TimePoint when, double pressure) { return {when, reading(pressure)}; }
inline Measurement failed(TimePoint when, std::string what = "unreadable") {
  return {when, ReadFailure{std::move(what)}};
}

inline Core core_of(GovernorOptions options, std::vector<KnownSensor> sensors = {}) {
  return Core(std::move(options), flat(5), std::move(sensors), at(0));
}

inline KnownSensor known(std::string_view name, SensorPolicy policy = {}) {
  return {name, policy, SensorState{}, Duration{0}};
}

/// Gives the core one reading of each sensor, taken now.
inline void show(Core& core, const std::vector<double>& pressures, TimePoint now) {
  std::vector<TimedMeasurement> sweep;
  for (const double pressure : pressures) sweep.push_back({measured(now, pressure), Duration{0}});
  core.observe(sweep, now);
}

/// The code of a refusal; throws if there is none.
template <typename Result>
RefusalCode code_of(const Result& result) {
  return std::get<Refusal>(result).code;
}

}  // namespace sluice::fakes
