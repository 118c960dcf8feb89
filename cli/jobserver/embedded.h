#pragma once

#include "cli/jobserver/client.h"

namespace sluice::cli {

/// Runs the command under a governor and a jobserver of this process's own; returns the exit
/// status.
int run_embedded_jobserver(const JobserverArguments& arguments, const ToolReporter& reporter);

}  // namespace sluice::cli
