#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/scenario.h"
#include "governor/core.h"
#include "model/host.h"

namespace sluice::cli {

/// Time between two samples of the modelled machine under `law: knee`.
inline constexpr Duration kReplaySampleEvery = std::chrono::milliseconds(250);

/// The modelled machine of a replay: it runs what was admitted, and is what the sensors see.
class ReplayHost {
 public:
  /// `host` must be of `scenario`.
  ReplayHost(const Scenario& scenario, const ScenarioHost& host);

  /// Notes what a submitted job will do.
  void submitted(JobId id, const ScenarioJob& job);
  void start(const Admitted& job);

  struct Ended {
    JobId id;
    std::uint32_t slot = 0;
    JobUsage usage;
    bool is_killed = false;  ///< For memory.
  };
  /// Lets whole steps pass up to `now`; what ended, in order.
  std::vector<Ended> advance_to(TimePoint now);
  /// The end of the next step.
  TimePoint next() const;

  /// Measures the running jobs and the machine.
  void measure(Core& core) const;
  /// The pressure of load, memory or memory_pressure by the limits of `options`; nullopt for any
  /// other sensor.
  std::optional<double> pressure(const SensorOptions& options, std::string_view sensor) const;

 private:
  struct Running {
    JobId id;
    std::uint32_t slot = 0;
  };

  model::Host host_;
  Duration step_;
  bool has_memory_;
  std::unordered_map<std::uint64_t, std::vector<model::Phase>> plans_;
  std::map<model::Host::Number, Running> running_;
};

/// The sensors that a modelled machine answers: neither switched off nor scripted.
std::vector<std::string> modelled_sensors(const Scenario& scenario);

}  // namespace sluice::cli
