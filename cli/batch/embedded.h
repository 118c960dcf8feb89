#pragma once

#include <memory>
#include <optional>

#include "cli/batch/door.h"
#include "cli/permit/outer_permit.h"
#include "costmodel/history.h"
#include "sluice/options.h"

namespace sluice::cli {

/// Most jobs that wait in one place at once; the rest of a stream is not read yet.
inline constexpr std::size_t kMostWaiting = 10'000;

/// A governor of this host in this process, which predicts what jobs need by `history` unless the
/// options want the formula. `most_running`: a hard cap besides the window, as a resource manager
/// that every job needs. `outer`: the permit on which this process runs, if any: what fits in it
/// starts, and one job always does. Beyond it nothing starts where it has no socket; where it has
/// one, the window decides, and whoever lets more start asks there.
std::unique_ptr<BatchDoor> embedded_door(const Options& options, std::shared_ptr<History> history,
                                         std::optional<std::size_t> most_running,
                                         const std::optional<OuterPermit>& outer = {});

}  // namespace sluice::cli
