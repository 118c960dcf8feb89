#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "cli/batch/admission_backend.h"
#include "cli/permit/outer_permit.h"
#include "costmodel/history.h"
#include "sluice/options.h"

namespace sluice::cli {

/// The governor of the daemon that `socket` (a path, or empty for the default) leads to, or one
/// line that says why it cannot be asked. Each job holds a connection of its own from its
/// submission on, so that it ends with this process. `most_running`: a cap in addition to the
/// window.
std::variant<std::unique_ptr<AdmissionBackend>, std::string> daemon_backend(
    const std::string& socket, std::optional<std::size_t> most_running);

/// Maximum number of jobs waiting in one place; the rest of a stream stays unread.
inline constexpr std::size_t kMostWaiting = 10'000;

/// A governor of this host in this process. It predicts the jobs' needs from `history` unless the
/// options select the formula. `most_running`: a hard cap in addition to the window, implemented as
/// a resource manager that every job needs. `outer`: the permit on which this process runs, if any:
/// jobs that fit in it start, and one job always does. A permit without a socket is the ceiling;
/// with a socket the window decides, and the caller asks there before it starts more.
std::unique_ptr<AdmissionBackend> embedded_backend(const Options& options,
                                                   std::shared_ptr<History> history,
                                                   std::optional<std::size_t> most_running,
                                                   const std::optional<OuterPermit>& outer = {});

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
