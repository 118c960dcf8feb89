#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "autoscale/fleet_controller.h"

namespace sluice::fleet_test {

using Names = std::vector<std::string>;
using std::chrono::minutes;
using std::chrono::seconds;

/// A simulated fleet, and a scaler that records its calls and succeeds, fails or lies on demand.
struct World : Scaler {
  std::map<std::string, ExecutorReport> executors;
  std::set<std::string> unseen;
  std::string blind;
  std::optional<std::int64_t> central;
  Names log;  ///< Calls to executors and to the scaler.
  std::vector<FleetState> saved;
  std::string add_problem, remove_problem, tell_problem;
  bool lies = false;
  bool cut_off = false;  ///< Whether a failed add may still have created executors.
  Removes manner = Removes::one_by_one;
  std::set<std::string> undrainable;                   ///< They refuse to drain.
  std::set<std::string> booting;                       ///< Listed, and not started.
  std::set<std::string> left_out;                      ///< Missing from the list.
  std::function<void(const std::string&)> on_removal;  ///< Called while one is removed.

  FleetObservation fleet() const {
    FleetObservation fleet;
    fleet.blind = blind;
    fleet.central = central;
    for (const auto& [id, report] : executors) {
      ExecutorObservation seen;
      seen.id = id;
      if (left_out.contains(id)) continue;
      if (booting.contains(id)) {
        seen.booting = true;
      } else if (unseen.contains(id)) {
        seen.problem = "no answer in time";
      } else {
        seen.report = report;
      }
      fleet.executors.push_back(seen);
    }
    return fleet;
  }

  void put(const std::string& id, std::int64_t usage, Duration up = minutes(50)) {
    ExecutorReport report;
    report.window = Points{20};
    report.usage = Points{usage};
    report.running = usage > 0 ? 1 : 0;
    report.up = up;
    executors[id] = report;
  }

  FleetCallbacks callbacks() {
    FleetCallbacks callbacks;
    callbacks.fleet = [this] { return fleet(); };
    callbacks.ask =
        [this](const ExecutorObservation& seen) -> std::variant<ExecutorReport, std::string> {
      if (unseen.contains(seen.id)) return std::string("no answer in time");
      return executors.at(seen.id);
    };
    callbacks.tell = [this](const ExecutorObservation& seen, const std::string& verb) {
      log.push_back(verb + " " + seen.id);
      if (!tell_problem.empty()) return ToldExecutor{0, tell_problem};
      if (verb == "drain" && undrainable.contains(seen.id)) return ToldExecutor{0, "403"};
      executors.at(seen.id).draining = verb == "drain";
      return ToldExecutor{executors.at(seen.id).running, ""};
    };
    callbacks.save = [this](const FleetState& state) { saved.push_back(state); };
    callbacks.scaler = this;
    return callbacks;
  }

  ScalerReply add(const Names& names) override {
    for (const std::string& name : names) {
      log.push_back("add " + name);
      if (add_problem.empty() && !lies) put(name, 0, seconds(0));
    }
    if (add_problem.empty()) return {names, ""};
    return {{}, add_problem, cut_off ? names : Names{}};
  }
  Removes removes() const override { return manner; }
  Removable removable(const Names& ids) override { return {ids, ""}; }
  ScalerReply remove(const Names& ids) override {
    for (const std::string& id : ids) {
      log.push_back("remove " + id);
      if (on_removal) on_removal(id);
      if (remove_problem.empty() && !lies) executors.erase(id);
    }
    return remove_problem.empty() ? ScalerReply{ids, ""} : ScalerReply{{}, remove_problem};
  }
  void cancel_removal(const Names& ids) override {
    for (const std::string& id : ids) log.push_back("keep " + id);
  }

  Names take_log() {
    Names taken;
    taken.swap(log);
    return taken;
  }
};

class FleetControllerTest : public ::testing::Test {
 protected:
  FleetControllerTest() {
    settings.rules.max = 5;
    settings.rules.stabilise = Duration{0};
    settings.rules.billing = Duration{0};
    settings.rules.kill_after = minutes(10);
  }

  ReconcileResult reconcile(Duration later = minutes(1)) {
    if (!controller) {
      controller = std::make_unique<FleetController>(settings, world.callbacks(), start_fleet(now));
    }
    now += later;
    return controller->reconcile(now);
  }
  /// As after a kill and restart of the process.
  void restart() {
    const FleetState kept = world.saved.back();
    controller = std::make_unique<FleetController>(settings, world.callbacks(), kept);
  }
  static bool says(const ReconcileResult& result, const std::string& part) {
    return std::any_of(result.notes.begin(), result.notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }

  TimePoint now{std::chrono::hours(1000)};
  FleetSettings settings;
  World world;
  std::unique_ptr<FleetController> controller;
};

}  // namespace sluice::fleet_test
