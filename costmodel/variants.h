#pragma once

#include <cstdint>
#include <span>

#include "costmodel/estimate.h"

namespace sluice {

// A derived key leaves numbers out: "compile t#.cpp" is one job with many files, but "sort #M" is
// many jobs. The runs themselves show whether the numbers matter. Pure.

/// Whether runs of one key that differ in the omitted numbers also differ in memory: by more than a
/// tenth of their mean, and by more than twice as much as runs with equal numbers. Only successful
/// runs and OOM kills count, and only keys above 32 MiB: below, a tenth is nothing.
bool variants_disagree(std::span<const PastRun> runs);

/// The prediction for the next run of one variant, from its own runs; 0 runs if none of them is
/// final.
Estimate estimate_of_variant(std::span<const PastRun> runs, std::span<const SoFar> running,
                             std::uint64_t variant);

}  // namespace sluice
