#pragma once

#include <string>
#include <vector>

#include "../tests/governor/host_simulation.h"

namespace sluice::model {

/// Which rows to compute and to compare.
struct VariationChoice {
  std::vector<HostShape> machines;
  int seeds = 20;
  std::vector<std::string> names;  ///< Beginnings of names; empty: all.
  std::string rows;                ///< The file of rows; those in it are not computed again.
};

/// `law: knee` with learned costs, with one default changed at a time, on the machines and seeds of
/// `choice`. Appends a row to the file for each run, then prints what the whole file says: which
/// changes finish more than 2 % more jobs an hour without more kills, or have fewer kills without
/// losing more than 2 %, by Wilcoxon's test of the seeds, corrected by Holm's method. False, after
/// a line on stderr, if the file cannot be used.
bool compare_variations(const VariationChoice& choice);

}  // namespace sluice::model
