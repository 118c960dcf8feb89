#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autoscale/fleet_observation.h"
#include "autoscale/fleet_state.h"
#include "autoscale/scaler.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice {

struct FleetSettings {
  AutoscaleOptions rules;
  std::string master;  ///< The id of the master; empty if there is none.
  /// How long an ordered executor may take to appear, and a removed one to disappear, before the
  /// scaler's answer counts as wrong.
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

/// The result of one round.
struct ReconcileResult {
  FleetObservation fleet;
  Observation observation;
  ScaleDecision decision;
  int unseen = 0;                    ///< Executors whose state is unknown.
  int desired = 0;                   ///< The size that the fleet should have.
  std::vector<std::string> added;    ///< The scaler reports these as made,
  std::vector<std::string> drained;  ///< these accept no more work,
  std::vector<std::string> removed;  ///< the scaler reports these as removed,
  std::vector<std::string> kept;     ///< and these were to be removed but stay.
  std::vector<std::string> notes;    ///< Deviations from the expected, one line each.
  int failed_adds = 0, failed_removes = 0;
};

/// Keeps a fleet at the size that `decide` chooses. Drains executors in one round and removes them
/// in the next if they are still idle; while any executor is unseen, removes none. Saves state that
/// must survive before each action. Use it on one thread.
class FleetController {
 public:
  FleetController(FleetSettings settings, FleetCallbacks callbacks, FleetState state);

  ReconcileResult round(TimePoint now);

  const FleetState& state() const { return state_; }

 private:
  void reconcile(const FleetObservation& fleet, ReconcileResult& round, TimePoint now);
  void meet_ordered(const FleetObservation& fleet, ReconcileResult& round, TimePoint now);
  void follow_departing(const FleetObservation& fleet, ReconcileResult& round, TimePoint now);
  void tell_foreign_drains(const FleetObservation& fleet, ReconcileResult& round);
  Observation observe(const FleetObservation& fleet, TimePoint now);
  Executor observed(const ExecutorObservation& seen);
  void append_central(const FleetObservation& fleet, TimePoint now, std::vector<QueuedJob>& queued);

  void finish_drains(ReconcileResult& round, TimePoint now);
  void give_up(const std::vector<std::string>& idle, ReconcileResult& round, TimePoint now);
  bool stays(const ExecutorObservation& seen, ReconcileResult& round);
  void take_back(const ExecutorObservation& seen, ReconcileResult& round, const std::string& why);
  void remove(const std::vector<std::string>& ids, ReconcileResult& round, TimePoint now);
  void drain(ReconcileResult& round, TimePoint now);
  void drain_one(const ExecutorObservation& seen, ReconcileResult& round, TimePoint now);
  void add(ReconcileResult& round, TimePoint now);

  bool is_ordered(const std::string& id) const;
  DepartingExecutor* departing(const std::string& id);
  void forget_departing(const std::string& id);
  std::vector<std::string> draining() const;
  void failed(OrderBackoff& backoff, TimePoint now) const;

  const FleetSettings settings_;
  const FleetCallbacks callbacks_;
  FleetState state_;
  std::map<std::string, ExecutorReport> last_;  ///< Of each executor, for when it is unseen.
  std::set<std::string> foreign_drains_;        ///< Of the last round.
  int desired_ = 0;
};

}  // namespace sluice
