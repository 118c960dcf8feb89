#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "autoscale/fleet_state.h"
#include "autoscale/reconciliation.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice {

/// Keeps a fleet at the size that `decide` chooses. Drains executors in one reconciliation and
/// removes them in the next if they are still idle; while any executor is unseen, removes none.
/// Saves state that must survive before each action. Use it on one thread.
class FleetController {
 public:
  FleetController(FleetSettings settings, FleetCallbacks callbacks, FleetState state);

  ReconcileResult reconcile(TimePoint now);

  const FleetState& state() const { return state_; }

 private:
  void follow_fleet(const FleetObservation& fleet, ReconcileResult& result, TimePoint now);
  void meet_ordered(const FleetObservation& fleet, ReconcileResult& result, TimePoint now);
  void time_booting(const FleetObservation& fleet, ReconcileResult& result, TimePoint now);
  void follow_departing(const FleetObservation& fleet, ReconcileResult& result, TimePoint now);
  void tell_foreign_drains(const FleetObservation& fleet, ReconcileResult& result);
  Observation observe(const FleetObservation& fleet, TimePoint now);
  Executor observed(const ExecutorObservation& seen);
  void append_central(const FleetObservation& fleet, TimePoint now, std::vector<QueuedJob>& queued);
  bool is_ordered(const std::string& id) const;

  const FleetSettings settings_;
  const FleetCallbacks callbacks_;
  FleetState state_;
  std::map<std::string, ExecutorReport> last_;  ///< Of each executor, for when it is unseen.
  std::set<std::string> foreign_drains_;        ///< Of the last reconciliation.
  int desired_ = 0;
};

}  // namespace sluice
