#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "recognition/liveness.h"
#include "recognition/program_class.h"

namespace sluice {

/// Finds the held process that must go on so that neither the build nor others stall, by `Liveness`
/// and by what the kernel says of memory and locks. Not thread-safe.
class StallCheck {
 public:
  struct LetGo {
    pid_t process = 0;
    const char* why;  ///< A part of a sentence.
  };

  /// No process has a permit. `first`: what a job of the build waits for by the daemon's status,
  /// which held processes may not have heard of yet. While it waits to be resumed, that is no
  /// stall.
  void report_idle(WaitsFor first) {
    if (first == WaitsFor::resume) return;
    others_ = Liveness::Others::idle;
    idle_job_waits_for_ = first;
  }
  void report_free_memory(Bytes free, TimePoint now) { liveness_.report_free_memory(free, now); }
  /// Whether `report_idle` and `report_free_memory` matter now.
  bool needs_room(const std::vector<HolderUse>& holders, TimePoint now) const {
    return holders.empty() || liveness_.nears_stall(now);
  }

  /// Call it a few times a second, also while nothing is held. `held`: the eldest first.
  std::optional<LetGo> observe(const std::vector<HolderUse>& holders,
                               const std::vector<HeldProcess>& held, const ListedPrograms& programs,
                               TimePoint now);

 private:
  const HeldProcess* blocker(const std::vector<HeldProcess>& held, const ListedPrograms& programs,
                             TimePoint now);

  Liveness liveness_;
  Liveness::Others others_ = Liveness::Others::run;
  WaitsFor idle_job_waits_for_ = WaitsFor::window;  ///< If `others_` are idle.
  TimePoint read_locks_at_;
  pid_t blocker_ = 0;  ///< A held process that has a lock for which a job waits; 0 if none.
};

}  // namespace sluice
