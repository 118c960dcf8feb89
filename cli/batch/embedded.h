#pragma once

#include <memory>
#include <optional>

#include "cli/batch/admission_backend.h"
#include "cli/permit/outer_permit.h"
#include "costmodel/history.h"
#include "sluice/embed.h"
#include "sluice/options.h"

namespace sluice::cli {

/// Maximum number of jobs waiting in one place; the rest of a stream stays unread.
inline constexpr std::size_t kMostWaiting = 10'000;

/// The parts of a governor for a batch. Beside programs that keep the CPUs busy it uses half of
/// them.
Assembly assemble_batch(const Options& options, std::shared_ptr<History> history);

/// A governor of this host in this process. It predicts the jobs' needs from `history` unless the
/// options select the formula. `most_running`: a hard cap in addition to the window, implemented as
/// a resource manager that every job needs. `outer`: the permit on which this process runs, if any:
/// jobs that fit in it start, and one job always does. A permit without a socket is the ceiling;
/// with a socket the window decides, and the caller asks there before it starts more.
std::unique_ptr<AdmissionBackend> embedded_backend(const Options& options,
                                                   std::shared_ptr<History> history,
                                                   std::optional<std::size_t> most_running,
                                                   const std::optional<OuterPermit>& outer = {});

}  // namespace sluice::cli
