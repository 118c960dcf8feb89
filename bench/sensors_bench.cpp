// The cost of the sensors on the real host: one sweep of all defaults, and each sensor alone.

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sensors/build_sensors.h"
#include "sensors/cpu_pressure.h"
#include "sensors/disk.h"
#include "sensors/host.h"

namespace sluice {
namespace {

std::vector<WatchedFolder> default_folders() {
  std::vector<WatchedFolder> folders;
  for (std::string& path : default_disk_paths(std::nullopt)) {
    folders.push_back({std::move(path), 0.05});
  }
  return folders;
}

/// The default sensors. Measures `disk` without its worker thread, so its reading counts too.
struct DefaultSensors {
  std::vector<Sensor> without_disk;
  DiskSensor disk{default_folders()};

  DefaultSensors() {
    SensorOptions options;
    options.disk.presence = Presence::off;
    without_disk = build_sensors(options, read_host_facts({}), {}, std::nullopt);
  }
};

void sweep(benchmark::State& state) {
  DefaultSensors sensors;
  for (auto _ : state) {
    for (const Sensor& sensor : sensors.without_disk) {
      Measurement measurement = sensor.measure(Clock::now());
      if (std::holds_alternative<ReadFailure>(measurement.result)) {
        state.SkipWithError(sensor.name.c_str());
      }
      benchmark::DoNotOptimize(measurement);
    }
    auto disk = sensors.disk.read(Clock::now());
    benchmark::DoNotOptimize(disk);
  }
}

/// Reads one of them again and again.
template <typename Read>
void repeat(benchmark::State& state, const Read& read) {
  for (auto _ : state) {
    auto reading = read();
    benchmark::DoNotOptimize(reading);
  }
}

void register_all() {
  benchmark::RegisterBenchmark("sensors/sweep", sweep);
  for (const Sensor& sensor : DefaultSensors().without_disk) {
    benchmark::RegisterBenchmark(("sensors/" + sensor.name).c_str(), [sensor](auto& state) {
      repeat(state, [&] { return sensor.measure(Clock::now()); });
    });
  }
  benchmark::RegisterBenchmark("sensors/disk", [](auto& state) {
    DefaultSensors sensors;
    repeat(state, [&] { return sensors.disk.read(Clock::now()); });
  });
  benchmark::RegisterBenchmark("sensors/cpu_pressure", [](auto& state) {
    CpuPressureSensor sensor(HostPaths{}, 0.6);
    repeat(state, [&] { return sensor.read(Clock::now()); });
  });
}

}  // namespace
}  // namespace sluice

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  sluice::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
