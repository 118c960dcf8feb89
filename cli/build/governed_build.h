#pragma once

#include "cli/build/arguments.h"

namespace sluice::cli {

/// Runs the build under a daemon and ends as its command did; returns the exit status if a signal
/// did not end it.
int run_build(const BuildArguments& arguments);

}  // namespace sluice::cli
