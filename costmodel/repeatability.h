#pragma once

#include <cstddef>
#include <span>

#include "costmodel/estimate.h"

namespace sluice {

/// How well runs of one job repeat on this host, learned from all jobs that ran more than once:
/// stands in for a job that itself ran only once or twice. Relative to each job's own mean.
///
/// Starts at 2 %, typical of compilers, with the weight of ten repeated runs, and then follows the
/// observed runs, except those of jobs below 32 MiB: hosts whose jobs vary from run to run soon
/// reserve more for all of them. (Empirical Bayes: a pooled variance with a conjugate prior.) Not
/// thread-safe.
class Repeatability {
 public:
  /// The evidence from the runs of one key; if its variants disagree, from each variant separately.
  struct Evidence {
    double squares = 0;  ///< Of relative distances from the job's mean.
    double freedom = 0;  ///< Runs beyond the first.
  };
  static Evidence evidence_of(std::span<const PastRun> runs);

  void add(const Evidence& evidence);
  void remove(const Evidence& evidence);

  /// The deviation, as a part of the mean, of the next run of a job with `runs` >= 1 runs.
  double deviation_after(std::size_t runs) const;

 private:
  Evidence seen_;
};

}  // namespace sluice
