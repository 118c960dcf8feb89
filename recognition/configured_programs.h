#pragma once

#include <chrono>

#include "client/answer.h"
#include "client/client.h"
#include "recognition/program_class.h"
#include "sluice/units.h"

namespace sluice {

/// What the daemon's configuration says of the programs of builds.
struct ConfiguredPrograms {
  ListedPrograms listed = {};
  Duration timed_hold = std::chrono::seconds(10);  ///< See `BuildTreeOptions`.
};

/// Of an answer of the daemon. Words that are not known are left out. Pure.
ConfiguredPrograms configured_programs(const BuildAnswer& answer);

/// Asks the daemon, on a connection of its own, and waits for its answer, at most 2 s; nothing is
/// configured if it gives none.
ConfiguredPrograms ask_for_programs(const Client& daemon);

}  // namespace sluice
