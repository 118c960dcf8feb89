#pragma once

#include <memory>
#include <optional>

#include "cli/batch_door.h"
#include "sluice/options.h"
#include "sluice/prediction.h"

namespace sluice::cli {

/// Most jobs that wait in one place at once; the rest of a stream is not read yet.
inline constexpr std::size_t kMostWaiting = 10'000;

/// A governor of this host in this process. `model` predicts what jobs need; empty: the formula.
/// `most_running`: a hard cap besides the window, as a resource manager that every job needs.
std::unique_ptr<BatchDoor> embedded_door(Options options, CostModel model,
                                         std::optional<std::size_t> most_running);

}  // namespace sluice::cli
