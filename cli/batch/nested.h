#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "cli/batch/door.h"
#include "cli/permit/outer_permit.h"
#include "costmodel/history.h"
#include "sluice/options.h"

namespace sluice::cli {

/// `embedded_door`, on the permit that this process runs on, if any. Its jobs are children of that
/// permit: where a daemon gave it, each that the governor here would start asks there as well, so
/// that what the permit holds is shared with whatever else works on it, and more can be had. While
/// that daemon is gone jobs run one at a time. Where nobody can be asked the permit is the ceiling.
std::unique_ptr<BatchDoor> governed_door(const Options& options, std::shared_ptr<History> history,
                                         std::optional<std::size_t> most_running,
                                         std::optional<OuterPermit> outer);

/// Makes a door to who gave the permit; null: it cannot be reached.
using ReachOuter = std::function<std::unique_ptr<BatchDoor>()>;

/// A door through which a job comes once both `inner` and the outer one have let it. `outer`: the
/// one that `reach` has made first.
std::unique_ptr<BatchDoor> asking_door(std::unique_ptr<BatchDoor> inner,
                                       std::unique_ptr<BatchDoor> outer, ReachOuter reach);

}  // namespace sluice::cli
