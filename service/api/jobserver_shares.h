#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "service/access/permission.h"
#include "service/protocol/api_error.h"
#include "sluice/job.h"

namespace sluice {

/// The open jobservers and their users. Bounds their number, because each takes descriptors of the
/// daemon from its start, whether its job is admitted or waits.
class JobserverShares {
 public:
  /// At most `most` may be open, and half of them (rounded up) for one user that is not trusted.
  explicit JobserverShares(std::size_t most) : most_(most) {}

  /// Why the asker may not open one more; nullopt if it may.
  std::optional<ApiError> refuse(const Asker& asker) const;
  /// Counts a jobserver that is open from now on.
  void add(JobId job, JobOwner owner) { open_.emplace(job.value, owner); }
  /// Counts it no longer; does nothing if it was not counted.
  void remove(JobId job) { open_.erase(job.value); }

 private:
  std::size_t most_;
  std::map<std::uint64_t, JobOwner> open_;  ///< By the number of the job.
};

}  // namespace sluice
