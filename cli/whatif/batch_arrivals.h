#pragma once

#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "cli/record/story.h"
#include "cli/whatif/recorded_events.h"
#include "config/scenario_job.h"
#include "sluice/units.h"

namespace sluice::cli {

/// The latest times of jobs, at most as many as there is room for; the earliest of them first.
using LatestTimes = std::priority_queue<Duration, std::vector<Duration>, std::greater<>>;

/// A client with a batch of jobs submits the next one once few enough of it wait or run. So in the
/// model, a job that came right after there was room came because of that, and was ready to come as
/// early as the one before it; any other job is ready when it came.
class BatchArrivals {
 public:
  /// Puts the job into its batch, if it is of one. Jobs come in the order of the record.
  void place(const JobStory& story, const RecordedSpan& span, ScenarioJob& job);

 private:
  struct Batch {
    LatestTimes left_line, over;
    Duration ready{0};  ///< The job that came last.
  };

  std::map<std::string, Batch> batches_;
};

}  // namespace sluice::cli
