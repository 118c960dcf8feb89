#pragma once

#include <sys/types.h>

#include <vector>

#include "recognition/liveness.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// What the processes that run on one permit have used, as /proc shows it. Not thread-safe.
class HolderUsage {
 public:
  /// Of a permit granted now to a process that has run for `ran` before.
  explicit HolderUsage(TimePoint now, Duration ran);

  /// Reads `processes`, the holder first.
  void read(const std::vector<pid_t>& processes, TimePoint now);

  /// When to read next: soon at first, so that a short run is read at all, then four times a
  /// second.
  TimePoint due() const { return due_; }
  /// It has ended: what grew grew on for as long as it was not read, to at most twice as much.
  void end(TimePoint now);

  const JobUsage& usage() const { return usage_; }
  /// The same for liveness, of the holder `process`.
  HolderUse use(pid_t process) const;
  bool is_suspended = false;

 private:
  TimePoint began_, read_, due_;
  double growth_ = 0;  ///< Bytes for each tick of Duration, between the last two readings.
  JobUsage usage_;
  std::uint64_t moved_ = 0;
  bool is_in_disk_wait_ = false;
};

}  // namespace sluice
