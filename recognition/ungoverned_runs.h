#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "recognition/build_record.h"
#include "recognition/holder_usage.h"
#include "recognition/kill_counter.h"
#include "recognition/process_end.h"
#include "sluice/units.h"

namespace sluice {

/// Runs of a build that no daemon knows of (it is gone, or has refused them), so that those that
/// the kernel kills for memory are named all the same. Of each, it measures only the process
/// itself. Not thread-safe.
class UngovernedRuns {
 public:
  struct Run {
    std::string name;       ///< As in `BuildRun`.
    HolderUsage usage;      ///< With what was measured before.
    KillMark kills_before;  ///< From its begin.
  };

  void add(pid_t process, Run run) { runs_.insert_or_assign(process, std::move(run)); }
  /// It asks a daemon again, or has become another program. Nothing where it is not known.
  void remove(pid_t process) { runs_.erase(process); }
  /// The process has ended; records whether it was killed. Nothing where it is not known.
  void ended(pid_t process, ProcessEnd end, const KillCounter& kills, BuildRecord& record,
             TimePoint now);

  /// Reads those that are due.
  void measure(TimePoint now);
  /// When to call `measure`; nullopt if there are none.
  std::optional<TimePoint> due() const;

 private:
  std::map<pid_t, Run> runs_;
};

}  // namespace sluice
