#pragma once

#include <cstdint>
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

/// What a replay remembers of each job: the name for each number, and how it is to end. About
/// 150 bytes a job.
class ReplayJobTable {
 public:
  struct Facts {
    std::string name;
    Duration runs{0};
    Outcome outcome = Outcome::ok;
    bool submitted = false;
  };

  /// The number of a job by name; none: nobody has spoken of it yet.
  std::optional<JobId> find(std::string_view name) const;
  const Facts& facts(JobId id) const { return facts_[id.value - 1]; }
  std::string_view name(JobId id) const { return facts(id).name; }

  /// A job that others wait for before it is submitted, and the line that names it.
  void expect(JobId id, std::string name, int line);
  /// A job that was submitted under a number that is new or expected.
  void add(JobId id, std::string name, const ScenarioJob& job);
  /// One more name for a job, whose own name stays.
  void alias(JobId id, std::string name);

  /// An expected job that was never submitted: its name and the line; none: all were.
  std::optional<std::pair<std::string_view, int>> missing() const;

 private:
  Facts& slot(JobId id);

  std::deque<Facts> facts_;  ///< By number; never moved, since names are views into it.
  std::deque<std::string> aliases_;
  std::unordered_map<std::string_view, JobId> ids_;
  std::map<JobId, int> expected_;
};

}  // namespace sluice::cli
