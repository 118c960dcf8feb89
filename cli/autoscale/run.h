#pragma once

#include "cli/autoscale/options.h"

namespace sluice::cli {

/// `sluice autoscale`: looks, decides and acts until it is told to end. Gives the exit status.
/// Throws std::runtime_error with one line for a wrong call.
int run_autoscale(const AutoscaleArguments& arguments);

}  // namespace sluice::cli
