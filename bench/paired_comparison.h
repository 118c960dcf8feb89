#pragma once

#include <span>
#include <vector>

namespace sluice::model {

// Whether paired measurements differ. Pure.

/// The chance that `differences` or larger ones come about if their true values are symmetric
/// around 0, one-sided: small if they are positive. Zeros say nothing and are left out; 1 if
/// nothing is left. Exact, with mean ranks for ties.
/// Source: Wilcoxon, "Individual comparisons by ranking methods", 1945.
double signed_rank_p(std::span<const double> differences);

/// Corrected for their number, in the same order: what is below a level is so by chance in no more
/// than that part of all cases, for all together.
/// Source: Holm, "A simple sequentially rejective multiple test procedure", 1979.
std::vector<double> holm(std::span<const double> p);

}  // namespace sluice::model
