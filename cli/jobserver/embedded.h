#pragma once

#include "cli/jobserver/client.h"
#include "sluice/embed.h"
#include "sluice/options.h"

namespace sluice::cli {

/// The parts of a governor for tokens. Beside programs that keep the CPUs busy it uses half of
/// them.
Assembly assemble_jobserver(const Options& options, Learning learning);

/// Runs the command under a governor and a jobserver of this process's own; returns the exit
/// status.
int run_embedded_jobserver(const JobserverArguments& arguments, const ToolReporter& reporter);

}  // namespace sluice::cli
