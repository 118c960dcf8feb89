#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "autoscale/fleet_state.h"
#include "autoscale/scaler.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice {

struct FleetSettings {
  AutoscaleOptions rules;
  std::string master;  ///< The id of the master; empty if there is none.
  /// How long an ordered executor may take to appear or to boot, and a removed one to disappear,
  /// before the scaler's answer counts as wrong.
  Duration boot = std::chrono::minutes(10);
  Duration leave = std::chrono::minutes(5);
  Points job_cost{5};  ///< Of a job in the central queue while no executor runs one.
  /// `remembered`: ordered executors count as booting until they appear. `told`: the list of
  /// executors includes ordered ones.
  enum class Ordered { remembered, told };
  Ordered ordered = Ordered::remembered;
};

/// The callbacks of a controller.
struct FleetCallbacks {
  std::function<FleetObservation()> fleet;
  std::function<std::variant<ExecutorReport, std::string>(const ExecutorObservation&)> ask;
  std::function<ToldExecutor(const ExecutorObservation&, const std::string& verb)> tell;
  std::function<void(const FleetState&)> save;  ///< Returns once the state is stored.
  Scaler* scaler = nullptr;                     ///< Null: only reports, without acting.
};

/// The result of one reconciliation.
struct ReconcileResult {
  FleetObservation fleet;
  Observation observation;
  ScaleDecision decision;
  int unseen = 0;   ///< Executors whose state is unknown.
  int desired = 0;  ///< The size that the fleet should have.
  /// The scaler has ordered this many pods, which Kubernetes names.
  int added_pods = 0;
  std::vector<std::string> added;    ///< The scaler reports these as made,
  std::vector<std::string> drained;  ///< these accept no more work,
  std::vector<std::string> removed;  ///< the scaler reports these as removed,
  std::vector<std::string> kept;     ///< and these were to be removed but stay.
  std::vector<std::string> notes;    ///< Deviations from the expected, one line each.
  int failed_adds = 0, failed_drains = 0, failed_removes = 0;

  int failures() const { return failed_adds + failed_drains + failed_removes; }
};

}  // namespace sluice
