#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "recognition/build_tree.h"
#include "sluice/units.h"

namespace sluice {

/// What a process with a permit, and what runs on that permit, has used so far.
struct HolderUse {
  pid_t process = 0;
  Duration cpu{0};               ///< Used, or waited for, since its start.
  std::uint64_t moved = 0;       ///< Bytes read and written.
  bool is_in_disk_wait = false;  ///< State D.
  bool is_suspended = false;     ///< By the brake.

  bool operator==(const HolderUse&) const = default;
};

/// Notices that a build stalls because a held process has something that its running jobs wait for:
/// a lock, the end of a pipe, their parent's attention. Pure. Not thread-safe.
class Liveness {
 public:
  /// Jobs that are not of this build.
  enum class Others {
    run,
    idle,    ///< There are none.
    blocked  ///< One waits for a lock that what is held has.
  };

  /// Call it a few times a second. `eldest`: the process held for longest, or, while others are
  /// blocked, the one with the lock. `memory`: in use on this host or in the group that binds.
  /// Returns whether to let the eldest go now: at most once a second, or once in 500 ms if it is
  /// the next worker (see below). The build must have stood still for a second: no permit holder
  /// used 0.05 cores, moved a byte, was in state D or was suspended in that time. If the eldest
  /// waits for memory, memory in use must not have grown for 5 s either. A build without a permit
  /// does not stall while `others` run; if they are idle or blocked, what it holds is in the way,
  /// such as memory filled before a stop. Once they have been blocked for 30 s, the build
  /// counts as still even if permit holders move. A process that waits for the window, or for a
  /// sensor, is let go after 30 s all the same: the others may wait for it.
  ///
  /// What goes on beyond a red sensor may keep it red. So if the eldest waits for one, and others
  /// are not blocked, the build must have stood still for 5 s instead of one, and after the first
  /// one each goes at least 10, 20, 40 and then 60 s after the last one. This begins again once
  /// none has waited for a sensor for 60 s.
  ///
  /// A process that an operator has paused (`WaitsFor::resume`) goes only where others are
  /// blocked, or idle although the daemon says that nothing is paused: a pause is no stall.
  ///
  /// A parent that waits for one worker waits for the next: for 10 s after the last one that went
  /// since the build stood still, the eldest needs only 250 ms instead of the second if it has the
  /// same `parent` and waits for the window, unless memory is missing or the daemon has not said
  /// lately that there is some.
  ///
  /// All times begin again after more than a second without a call, as when the whole build was
  /// stopped.
  bool observe(const std::vector<HolderUse>& holders, const std::optional<HeldProcess>& eldest,
               Bytes memory, Others others, TimePoint now);

  /// The memory that the daemon may still promise. Counts for a second: a refusal names the window
  /// before the memory, so what waits for the window waits for memory, too, where there is none,
  /// for at most 30 s.
  void report_free_memory(Bytes free, TimePoint now);
  /// Whether `observe` may soon let one go, so that what memory is free matters.
  bool nears_stall(TimePoint now) const;

 private:
  bool is_stall_known(TimePoint now) const;
  bool follows_last(const HeldProcess& eldest, TimePoint now) const;
  bool moves(const std::vector<HolderUse>& holders, Duration since_last) const;
  bool lacks_memory(const HeldProcess& held, TimePoint now) const;
  bool is_behind_sensor(const HeldProcess& eldest, Others others, TimePoint now);

  std::map<pid_t, HolderUse> last_;
  std::optional<TimePoint> observed_;
  TimePoint moved_, let_go_, grown_, had_permit_, unblocked_;
  pid_t last_parent_ = 0;  ///< Of the one let go last; 0 if not since the build stood still.
  std::optional<TimePoint> behind_sensor_;  ///< When the eldest was last seen to wait for one.
  Duration sensor_pause_{0};                ///< Then the least time since `let_go_`.
  Bytes most_memory_;
  Bytes free_;
  std::optional<TimePoint> said_free_;
};

}  // namespace sluice
