#pragma once

#include <cstdint>
#include <span>

#include "costmodel/estimate.h"

namespace sluice {

// A derived key leaves numbers out: "compile t#.cpp" is one job with many files, but "sort #M" is
// many jobs. Whether the numbers matter, the runs themselves tell. Pure.

/// Whether runs of one key that differ in what the key leaves out differ in memory too: by more
/// than a tenth of their mean, and by more than twice as much as runs that are alike in it. Only
/// runs that ended well count, and those above 32 MiB: below, a tenth is nothing.
bool variants_disagree(std::span<const PastRun> runs);

/// What the runs of one variant say of its next one; 0 runs: none of them is final.
Estimate estimate_of_variant(std::span<const PastRun> runs, std::span<const SoFar> running,
                             std::uint64_t variant);

}  // namespace sluice
