#pragma once

#include <sys/types.h>

#include <vector>

#include "recognition/build_tree.h"

namespace sluice {

// The stages of a pipeline, as of `tar | gzip`, wait for each other: one permit is enough to start
// all of them. They are children of one process, and what one writes another reads.

/// A stage with a permit on which another stage, which needs one, may work; 0 if there is none.
pid_t stage_with_permit(const BuildTree& tree, pid_t process);

/// The held stages that may work on this one's permit.
std::vector<pid_t> held_stages(const BuildTree& tree, pid_t holder);

}  // namespace sluice
