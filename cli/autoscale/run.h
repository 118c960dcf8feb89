#pragma once

#include "cli/autoscale/options.h"

namespace sluice::cli {

/// `sluice autoscale`: observes, decides and acts until a signal ends it. Returns the exit status.
/// Throws std::runtime_error with one line for a wrong call.
int run_autoscale(const AutoscaleArguments& arguments);

}  // namespace sluice::cli
