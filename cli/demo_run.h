#pragma once

#include <string>
#include <vector>

#include "cli/workload.h"
#include "sluice/options.h"

namespace sluice::cli {

/// How a demo shows itself: redrawn in place, a line an event, or a JSON object an event.
enum class Output { live, lines, json };

/// Runs the items under a governor of this host, with their output in files below `scratch`.
/// Gives the exit status: 0, 1 if a job failed, 130 or 143 after SIGINT or SIGTERM.
int run_demo(const std::vector<WorkItem>& items, const Options& options, const std::string& scratch,
             Output output);

}  // namespace sluice::cli
