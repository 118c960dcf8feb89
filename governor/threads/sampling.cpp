#include "governor/threads/sampling.h"

#include <time.h>

#include <exception>

namespace sluice {
namespace {

TimedMeasurement measure(const Sensor& sensor) {
  const TimePoint began = Clock::now();
  TimedMeasurement sweep;
  try {
    sweep.measurement = sensor.measure(began);
  } catch (const std::exception& error) {
    sweep.measurement = {began, ReadFailure{error.what()}};
  } catch (...) {
    sweep.measurement = {began, ReadFailure{"the sensor threw an unknown exception"}};
  }
  sweep.took = Clock::now() - began;
  return sweep;
}

/// What the meter says; empty if there is none or it throws.
template <typename Meter>
auto read_or_empty(const Meter& meter) -> decltype(meter(TimePoint{})) {
  try {
    if (meter) return meter(Clock::now());
  } catch (const std::exception&) {
  }
  return {};
}

}  // namespace

TimePoint coarse_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

std::vector<TimedMeasurement> sweep_all(const std::vector<Sensor>& sensors) {
  std::vector<TimedMeasurement> sweep;
  sweep.reserve(sensors.size());
  for (const Sensor& sensor : sensors) sweep.push_back(measure(sensor));
  return sweep;
}

std::vector<MemoryLimit> read_memory(const MemoryMeter& meter) { return read_or_empty(meter); }

UseCounters read_use(const UseMeter& meter) { return read_or_empty(meter); }

}  // namespace sluice
