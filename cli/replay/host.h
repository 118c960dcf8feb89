#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/scenario.h"
#include "costmodel/history.h"
#include "governor/core.h"
#include "model/host.h"
#include "model/job_watch.h"

namespace sluice::cli {

/// Time between two samples of the modelled machine under `law: knee`.
inline constexpr Duration kReplaySampleEvery = std::chrono::milliseconds(250);

/// The modelled machine of a replay: it runs what was admitted, and is what the sensors see.
class ReplayHost {
 public:
  /// `host` must be of `scenario`. `history`: null if nothing is learned.
  ReplayHost(const Scenario& scenario, const ScenarioHost& host, std::shared_ptr<History> history);

  void configure(const ReservationOptions& reservation) { reservation_ = reservation; }

  /// What the machine is told of a submitted job before the core gets it: whether Sluice may
  /// suspend it, and by what it is learned.
  JobRequest prepare(JobRequest& request) const;
  /// Notes what a submitted job will do. `kind`: as `prepare` returned it.
  void submitted(JobId id, const ScenarioJob& job, JobRequest kind);
  void start(const Admitted& job);

  /// Lets whole steps pass up to `now`; what ended, in order.
  std::vector<model::Host::Ended> advance_to(TimePoint now);
  /// A job that has ended, until `end`.
  const model::JobWatch::Job& job(const model::Host::Ended& ended) const;
  /// Tells the core what it used; learns from it.
  void end(const model::Host::Ended& ended, Outcome outcome, Core& core);
  /// The end of the next step.
  TimePoint next() const;

  /// Measures the running jobs and the machine.
  void measure(Core& core);
  /// The pressure of load, memory or memory_pressure by the limits of `options`; nullopt for any
  /// other sensor.
  std::optional<double> pressure(const SensorOptions& options, std::string_view sensor) const;

 private:
  struct Plan {
    std::vector<model::Phase> phases;
    JobRequest kind;
  };

  bool brakes() const;

  model::Host host_;
  Duration step_;
  bool has_memory_;
  ReservationOptions reservation_;
  std::unordered_map<std::uint64_t, Plan> plans_;
  model::JobWatch watch_;
};

/// The history as a scenario begins; null if nothing is learned in it.
std::shared_ptr<History> history_of(const Scenario& scenario);

/// The sensors that a modelled machine answers: neither switched off nor scripted.
std::vector<std::string> modelled_sensors(const Scenario& scenario);

}  // namespace sluice::cli
