#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/batch/settings.h"

namespace sluice::cli {

/// How many jobs of a batch the descriptors of this process suffice for.
class DescriptorBudget {
 public:
  /// `limit`: how many this process may have open; `others`: open ones that do not belong to jobs.
  /// `each`: of a job, see `descriptors_of_job`.
  DescriptorBudget(std::uint64_t limit, std::uint64_t others, std::uint64_t each)
      : limit_(limit), others_(others), each_(each) {}

  /// Maximum of jobs that run or wait for admission; at least one. `files`: files of output that
  /// are open, but of no running job.
  std::size_t most_jobs(std::size_t files) const;

  /// Why no more jobs start although they could be admitted.
  std::string sentence() const;

 private:
  std::uint64_t limit_;
  std::uint64_t others_;
  std::uint64_t each_;
};

/// Descriptors that a job takes at the most: of its output, its cgroup, and a daemon.
std::uint64_t descriptors_of_job(const BatchSettings& settings);

}  // namespace sluice::cli
