#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "cli/batch/admission_backend.h"
#include "cli/permit/outer_permit.h"
#include "costmodel/history.h"
#include "sluice/options.h"

namespace sluice::cli {

/// `embedded_backend` on the permit that this process runs on, if any. Its jobs are children of
/// that permit: if a daemon granted it, each job that the governor here would start is also
/// submitted there, so that the permit is shared with everything else that works on it, and more
/// can be granted. While that daemon is gone, jobs run one at a time. If no one can be asked, the
/// permit is the ceiling.
std::unique_ptr<AdmissionBackend> governed_backend(const Options& options,
                                                   std::shared_ptr<History> history,
                                                   std::optional<std::size_t> most_running,
                                                   std::optional<OuterPermit> outer);

/// Connects to the granter of the permit; null if it cannot be reached.
using ReachOuter = std::function<std::unique_ptr<AdmissionBackend>()>;

/// Admits a job once both `inner` and `outer` have admitted it. `outer`: the first result of
/// `reach`.
std::unique_ptr<AdmissionBackend> asking_backend(std::unique_ptr<AdmissionBackend> inner,
                                                 std::unique_ptr<AdmissionBackend> outer,
                                                 ReachOuter reach);

}  // namespace sluice::cli
