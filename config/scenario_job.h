#pragma once

#include <string>
#include <vector>

#include "config/document.h"
#include "config/fields.h"
#include "sluice/job.h"
#include "sluice/queueing.h"

namespace sluice {

/// A job of a replay.
struct ScenarioJob {
  int line = 0;                    ///< Where it stands in its file.
  Duration at{0};                  ///< When it is submitted; >= 0.
  Duration runs{0};                ///< How long it runs once it is admitted; >= 0.
  Outcome outcome = Outcome::ok;   ///< How it ends.
  std::vector<std::string> after;  ///< Ids; they become `request.after`, which is empty.
  JobRequest request;
};

/// The fields that describe a job, by their names in YAML and in JSON: id, key, queue, priority,
/// inventory, cost, locks, global_lock, resources, memory, on_failure, reasons, params, nice.
std::vector<Field<JobRequest>> job_fields();

/// Reads one job, an item of `jobs` or a line of JSON Lines given as a tree (a number or a truth
/// value as its text, all places with the line and column 0). All that is wrong with it is added to
/// `errors`.
ScenarioJob read_scenario_job(const YamlNode& node, std::vector<FieldError>& errors);

/// What a request names that is not in the options: its queue, managers and levels. The place of
/// each error is that of its field in `node`, which the request was read from.
void check_names(const QueueingOptions& options, const JobRequest& job, const YamlNode& node,
                 std::vector<FieldError>& errors);

/// The jobs that wait for each other in a circle, each circle once, in the order in which its
/// first job stands among `jobs`: "a, b" where a comes after b and b after a. Ids that are not
/// there, and a job that comes after itself, are left out. Linear.
std::vector<std::vector<std::size_t>> find_circles(const std::vector<ScenarioJob>& jobs);

}  // namespace sluice
