#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "autoscale/fleet_report.h"
#include "autoscale/http_place.h"

namespace sluice {

/// One executor as a look at the fleet found it.
struct SeenExecutor {
  std::string id;
  HttpPlace place;       ///< Where it answers.
  bool booting = false;  ///< Its maker says that it is not there yet.
  bool leaving = false;  ///< Its maker says that it was told to end.
  std::optional<ExecutorReport> report;
  std::string problem;  ///< Why there is no report.
};

/// The fleet at one instant.
struct FleetLook {
  std::string blind;  ///< Why it is not known who is in it, or what waits; empty: it is.
  std::vector<SeenExecutor> executors;
  std::optional<std::int64_t> central;  ///< Jobs that wait in a queue for all; none: there is none.
};

/// Who is in the fleet, or why that is not known.
using FleetMembers = std::variant<std::vector<SeenExecutor>, std::string>;

/// How executors are asked.
struct AskingOptions {
  Duration timeout = std::chrono::seconds(5);  ///< Of each, however many do not answer.
  std::string token;                           ///< For what is not a GET over TCP.
};

/// What one executor says of itself now.
std::variant<ExecutorReport, std::string> ask_executor(const HttpPlace& place,
                                                       const AskingOptions& options);

/// Asks all that are not booting, many at a time.
void ask_executors(std::vector<SeenExecutor>& executors, const AskingOptions& options);

/// Tells one executor to `drain` or to `resume`; how many jobs run and wait there then.
struct ToldExecutor {
  std::int64_t jobs = 0;
  std::string problem;  ///< Why it was not done; empty: it was.
};
ToldExecutor tell_executor(const HttpPlace& place, const std::string& verb,
                           const AskingOptions& options);

/// The executor of that name; null: there is none.
const SeenExecutor* find_executor(const FleetLook& look, std::string_view id);

/// A name that stands twice in a list; empty: none.
std::string twice_named(const std::vector<SeenExecutor>& executors);

}  // namespace sluice
