#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "config/scenario_job.h"
#include "sluice/job.h"
#include "sluice/units.h"

namespace sluice::cli {

/// What a replay stores about each job: its name by number, and how it will end. About 150 bytes
/// per job.
class ReplayJobTable {
 public:
  struct Facts {
    std::string name;
    Duration runs{0};
    Outcome outcome = Outcome::ok;
    bool submitted = false, over = false;
    bool ran = false;  ///< Ran as the replay began.
  };

  /// The number of a job by name; nullopt if the name is new.
  std::optional<JobId> find(std::string_view name) const;
  const Facts& facts(JobId id) const { return facts_[id.value - 1]; }
  std::string_view name(JobId id) const { return facts(id).name; }

  /// Adds a job that others wait for before it is submitted, and the line that names it.
  void expect(JobId id, std::string name, int line);
  /// Adds a submitted job under a new or an expected number.
  void add(JobId id, std::string name, const ScenarioJob& job);
  /// The job has ended, or will never run.
  void end(JobId id) { slot(id).over = true; }
  /// Adds another name for a job, which keeps its own.
  void alias(JobId id, std::string name);

  /// An expected job that was never submitted: its name and the line; nullopt if all were.
  std::optional<std::pair<std::string_view, int>> missing() const;

 private:
  Facts& slot(JobId id);

  std::deque<Facts> facts_;  ///< By number; never moved: others hold views of the names.
  std::deque<std::string> aliases_;
  std::unordered_map<std::string_view, JobId> ids_;
  std::map<JobId, int> expected_;
};

}  // namespace sluice::cli
