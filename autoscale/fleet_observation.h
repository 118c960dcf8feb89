#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/endpoint.h"
#include "autoscale/fleet_report.h"

namespace sluice {

/// One executor in an observation of the fleet.
struct ExecutorObservation {
  std::string id;
  Endpoint place;        ///< Where it answers.
  bool booting = false;  ///< Reported as not existing yet.
  bool leaving = false;  ///< Reported as told to end.
  std::optional<ExecutorReport> report;
  std::string problem;  ///< Why there is no report.
};

/// The fleet at one instant.
struct FleetObservation {
  std::string blind;  ///< Why its members or its queue are unknown; empty if they are known.
  std::vector<ExecutorObservation> executors;
  std::optional<std::int64_t> central;  ///< Jobs waiting in a shared queue, if there is one.
};

/// The members of the fleet, or why they are unknown.
using FleetMembers = std::variant<std::vector<ExecutorObservation>, std::string>;

/// How to query executors.
struct AskingOptions {
  Duration timeout = std::chrono::seconds(5);  ///< For each executor, however many do not answer.
  std::string token;                           ///< For requests other than GET over TCP.
};

/// The current report of one executor.
std::variant<ExecutorReport, std::string> ask_executor(const Endpoint& place,
                                                       const AskingOptions& options);

/// Queries all that are not booting, many at a time.
void ask_executors(std::vector<ExecutorObservation>& executors, const AskingOptions& options);

/// The result of telling an executor to `drain` or to `resume`: how many jobs run and wait there
/// then.
struct ToldExecutor {
  std::int64_t jobs = 0;
  std::string problem;  ///< Why it was not done; empty on success.
};
ToldExecutor tell_executor(const Endpoint& place, const std::string& verb,
                           const AskingOptions& options);

/// The executor with that id; null if there is none.
const ExecutorObservation* find_executor(const FleetObservation& fleet, std::string_view id);

/// A name that occurs twice in a list; empty if there is none.
std::string twice_named(const std::vector<ExecutorObservation>& executors);

}  // namespace sluice
