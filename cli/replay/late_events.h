#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/scenario.h"

namespace sluice::cli {

/// Events of a scenario that name a job which has not come; they take effect as it comes.
class LateEvents {
 public:
  /// The event, which outlives this, waits for the job.
  void add(const std::string& job, const ScenarioEvent& event) { waiting_[job].push_back(&event); }

  /// Those of the job that has come, in their order; they no longer wait.
  std::vector<const ScenarioEvent*> extract(const std::string& job);

  /// Those that still wait, in the order of the scenario, each with its job.
  std::vector<std::pair<const ScenarioEvent*, std::string>> left() const;

 private:
  std::unordered_map<std::string, std::vector<const ScenarioEvent*>> waiting_;  ///< By job.
};

}  // namespace sluice::cli
