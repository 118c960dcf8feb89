#pragma once

#include <signal.h>

#include <initializer_list>
#include <memory>

#include "cli/batch/admission_backend.h"
#include "cli/batch/settings.h"
#include "cli/batch/work.h"
#include "costmodel/history.h"
#include "process/child/signals.h"
#include "process/runner.h"

namespace sluice::cli {

/// Signals that end a batch, and SIGCHLD; block them before any thread starts.
inline constexpr std::initializer_list<int> kBatchSignals = {SIGINT,  SIGTERM, SIGHUP,
                                                             SIGQUIT, SIGPIPE, SIGCHLD};

/// Runs the batch; returns its exit status: 0; 1 to 100 for the number of failed jobs, 101 for
/// more; 2 for unusable input; 130 or 143 after SIGINT or SIGTERM.
int run_batch(const BatchSettings& settings, const SignalDescriptor& signals, Runner& runner,
              BatchWork work, AdmissionBackend& backend, const std::shared_ptr<History>& history);

}  // namespace sluice::cli
