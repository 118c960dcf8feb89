#pragma once

#include <cstddef>
#include <span>

#include "costmodel/estimate.h"

namespace sluice {

/// How well runs of one job repeat on this host, told by all jobs that ran more than once: what is
/// known of a job that ran only once or twice itself. Relative to each job's own mean.
///
/// Starts at 2 % with the weight of ten repeated runs, which is what compilers do, and follows what
/// is seen, but in jobs of less than 32 MiB: hosts whose jobs differ from run to run soon keep more
/// for all of them. (Empirical Bayes: a pooled variance with a conjugate prior.) Not thread-safe.
class Repeatability {
 public:
  /// What the runs of one key tell; where its variants disagree, each by itself.
  struct Evidence {
    double squares = 0;  ///< Of relative distances from the job's mean.
    double freedom = 0;  ///< Runs beyond the first.
  };
  static Evidence evidence_of(std::span<const PastRun> runs);

  void add(const Evidence& evidence);
  void remove(const Evidence& evidence);

  /// The deviation, as a part of the mean, of the next run of a job that ran `runs` >= 1 times.
  double deviation_after(std::size_t runs) const;

 private:
  Evidence seen_;
};

}  // namespace sluice
