#pragma once

#include "cli/jobserver/client.h"

namespace sluice::cli {

/// Runs the command with a jobserver of the daemon; returns the exit status.
int run_jobserver_of_daemon(const JobserverArguments& arguments, const ToolReporter& reporter);

}  // namespace sluice::cli
