#pragma once

#include <map>
#include <optional>
#include <string>

#include "cli/record/story.h"
#include "config/scenario.h"
#include "sluice/units.h"

namespace sluice::cli {

/// A build starts its next process as one of its own has ended. So in the model, a job of a build
/// follows the one that ended last before it came, and that no other follows.
class BuildFollowers {
 public:
  /// Lets the job follow such a one, if there is one; it is then known as early as that one. Jobs
  /// come in the order of the record; `ended` is when this one had ended, if it ran.
  void lead(const JobStory& story, std::optional<Duration> ended, ScenarioJob& job);

 private:
  struct Ended {
    std::string id;
    Duration known_at;
  };

  std::map<std::string, std::multimap<Duration, Ended>> ended_;  ///< By queue; unfollowed.
};

}  // namespace sluice::cli
