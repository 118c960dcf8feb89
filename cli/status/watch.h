#pragma once

#include <string>

#include "sluice/units.h"

namespace sluice::cli {

enum class WatchFor { people, json };

/// `sluice status --watch`, until a signal or a key ends it; returns the exit status. `socket`: of
/// the daemon; empty for the default search. `every`: between two samples. Redraws one screen on a
/// terminal, else prints one text after another. Throws std::runtime_error if there is no daemon at
/// the start.
int watch(const std::string& socket, Duration every, WatchFor reader);

}  // namespace sluice::cli
