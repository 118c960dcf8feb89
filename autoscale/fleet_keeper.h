#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autoscale/fleet_look.h"
#include "autoscale/fleet_state.h"
#include "autoscale/scaler.h"
#include "governor/autoscaler/autoscaler.h"

namespace sluice {

struct FleetSettings {
  AutoscaleOptions rules;
  std::string master;  ///< Its id; empty: there is none.
  /// How long an executor that was ordered may take to be seen, and one that was removed to go,
  /// before the scaler is held to have said what is not so.
  Duration boot = std::chrono::minutes(10);
  Duration leave = std::chrono::minutes(5);
  Points job_cost{5};  ///< Of a job in the central queue while no executor runs any.
  /// `remembered`: what was ordered counts as booting until it is seen. `told`: whoever lists the
  /// executors lists those as well.
  enum class Ordered { remembered, told };
  Ordered ordered = Ordered::remembered;
};

/// All that a keeper reaches the world by.
struct FleetHands {
  std::function<FleetLook()> look;
  std::function<std::variant<ExecutorReport, std::string>(const SeenExecutor&)> ask;
  std::function<ToldExecutor(const SeenExecutor&, const std::string& verb)> tell;
  std::function<void(const FleetState&)> save;  ///< Returns when it is kept.
  Scaler* scaler = nullptr;                     ///< Null: nobody acts, it is only said.
};

/// What came of one look at the fleet.
struct FleetRound {
  FleetLook look;
  Observation observation;
  ScaleDecision decision;
  int unseen = 0;                    ///< Executors of which it is not known what they do.
  int desired = 0;                   ///< Executors that there should be.
  std::vector<std::string> added;    ///< The scaler says that it has made these,
  std::vector<std::string> drained;  ///< these take no more work,
  std::vector<std::string> removed;  ///< the scaler says that it has removed these,
  std::vector<std::string> kept;     ///< and these were to go and stay.
  std::vector<std::string> notes;    ///< What went otherwise than it should, one line each.
  int failed_adds = 0, failed_removes = 0;
};

/// Keeps a fleet at the size that `decide` says. What is to go is drained at one look, and removed
/// at the next if it is idle still; while one executor is not seen nothing goes. All that must not
/// be forgotten is saved before it is done. Used on one thread.
class FleetKeeper {
 public:
  FleetKeeper(FleetSettings settings, FleetHands hands, FleetState state);

  FleetRound round(TimePoint now);

  const FleetState& state() const { return state_; }

 private:
  void reconcile(const FleetLook& look, FleetRound& round, TimePoint now);
  void meet_ordered(const FleetLook& look, FleetRound& round, TimePoint now);
  void follow_departing(const FleetLook& look, FleetRound& round, TimePoint now);
  void tell_foreign_drains(const FleetLook& look, FleetRound& round);
  Observation observe(const FleetLook& look, TimePoint now);
  Executor observed(const SeenExecutor& seen);
  void append_central(const FleetLook& look, TimePoint now, std::vector<QueuedJob>& queued);

  void finish_drains(FleetRound& round, TimePoint now);
  void give_up(const std::vector<std::string>& idle, FleetRound& round, TimePoint now);
  bool stays(const SeenExecutor& seen, FleetRound& round);
  void take_back(const SeenExecutor& seen, FleetRound& round, const std::string& why);
  void remove(const std::vector<std::string>& ids, FleetRound& round, TimePoint now);
  void drain(FleetRound& round, TimePoint now);
  void drain_one(const SeenExecutor& seen, FleetRound& round, TimePoint now);
  void add(FleetRound& round, TimePoint now);

  bool is_ordered(const std::string& id) const;
  DepartingExecutor* departing(const std::string& id);
  void forget_departing(const std::string& id);
  std::vector<std::string> draining() const;
  void failed(OrderBackoff& backoff, TimePoint now) const;

  const FleetSettings settings_;
  const FleetHands hands_;
  FleetState state_;
  std::map<std::string, ExecutorReport> last_;  ///< Of each executor, for when it is not seen.
  std::set<std::string> foreign_drains_;        ///< Of the last look.
  int desired_ = 0;
};

}  // namespace sluice
