#pragma once

#include <string>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "autoscale/fleet_state.h"
#include "autoscale/reconciliation.h"

namespace sluice {

/// Acts on a fleet in one reconciliation, as its `decision` says: drains executors, removes those
/// that an earlier reconciliation drained, takes back those that must stay, and adds new ones.
/// Saves the state before each order that must not be forgotten, and adds what it did to `result`.
class FleetActions {
 public:
  /// All that is referred to outlives this. There is a scaler.
  FleetActions(const FleetSettings& settings, const FleetCallbacks& callbacks, FleetState& state,
               ReconcileResult& result, TimePoint now)
      : settings_(settings), callbacks_(callbacks), state_(state), result_(result), now_(now) {}

  /// Removes the drained executors that are still idle, unless any executor is unseen; takes back
  /// those that have got a job or are needed again.
  void finish_drains();
  /// Drains the executors that the decision names, as far as the scaler can remove exactly those.
  void drain();
  /// Adds what the decision asks for and no executor taken back replaces. Returns the names that
  /// are ordered from now on; what is known of earlier executors of these names does not count.
  std::vector<std::string> add();

 private:
  void give_up(const std::vector<std::string>& idle);
  bool stays(const ExecutorObservation& seen);
  void take_back(const ExecutorObservation& seen, const std::string& why);
  void remove(const std::vector<std::string>& ids);
  void drain_one(const ExecutorObservation& seen);
  void tell_waiting_drains();
  /// Counts a failed order, puts off the next one of its kind, and notes `what`.
  void failed(int& count, OrderBackoff& backoff, const std::string& what);
  void drain_failed(const std::string& id, const std::string& problem);
  void forget_departing(const std::string& id);
  std::vector<std::string> draining() const;

  const FleetSettings& settings_;
  const FleetCallbacks& callbacks_;
  FleetState& state_;
  ReconcileResult& result_;
  const TimePoint now_;
};

}  // namespace sluice
