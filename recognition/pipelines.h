#pragma once

#include "recognition/build_tree.h"

namespace sluice {

/// Lets held processes go that are stages of a pipeline, as of `tar | gzip`, of which another stage
/// runs: these wait for each other. Stages are children of one process, and what one writes another
/// reads. Reads the descriptors of the processes in question.
void let_stages_go(BuildTree& tree);

}  // namespace sluice
