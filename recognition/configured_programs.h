#pragma once

#include <chrono>
#include <string>

#include "client/answer.h"
#include "client/client.h"
#include "recognition/program_class.h"
#include "sluice/units.h"

namespace sluice {

/// What the daemon knows of the programs of builds, by its configuration and its history.
struct ConfiguredPrograms {
  ListedPrograms listed = {};
  Duration timed_hold = std::chrono::seconds(10);  ///< See `BuildTreeOptions`.
};

/// Of an answer of the daemon. Words that are not known are left out. Pure.
ConfiguredPrograms configured_programs(const BuildAnswer& answer);

/// Takes the next run of a program for as heavy as one that has ended. Zero: nobody measured it.
/// Pure.
void learn(ListedPrograms& programs, const std::string& program, Bytes peak);

/// Asks the daemon, on a connection of its own, and waits for its answer, at most 2 s; nothing is
/// configured if it gives none.
ConfiguredPrograms ask_for_programs(const Client& daemon);

}  // namespace sluice
