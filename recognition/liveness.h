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

/// Notices that a build stands still since what it holds has something that its running jobs wait
/// for: a lock, the end of a pipe, their parent's attention. Pure. Not thread-safe.
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
  /// Returns whether the eldest is to be let go now: no permit holder has used 0.05 cores, moved a
  /// byte, been in state D or been suspended for a second; at most one a second; and what waits for
  /// memory only if memory in use has not grown for 5 s. A build that holds no permit waits for
  /// `others`; if these are idle, what it holds itself is in the way, as memory that it filled
  /// before it was stopped, and so it is if they are blocked; if they are for 30 s, then also while
  /// permit holders move. After 30 s one that waits for the window goes on all the same: the others
  /// may wait for it. After more than a second without a look, as where all of it was stopped, the
  /// second begins again.
  bool observe(const std::vector<HolderUse>& holders, const std::optional<HeldProcess>& eldest,
               Bytes memory, Others others, TimePoint now);

  /// The memory that the daemon may still promise. Counts for a second: a refusal names the window
  /// before the memory, so what waits for the window waits for memory, too, where there is none,
  /// for at most 30 s.
  void said_free(Bytes free, TimePoint now);
  /// Whether no permit holder has moved for half of that second.
  bool stands_still(TimePoint now) const;

 private:
  bool moves(const std::vector<HolderUse>& holders, Duration since_last) const;
  bool lacks_memory(const HeldProcess& held, TimePoint now) const;

  std::map<pid_t, HolderUse> last_;
  std::optional<TimePoint> observed_;
  TimePoint moved_, let_go_, grown_, had_permit_, unblocked_;
  Bytes most_memory_;
  Bytes free_;
  std::optional<TimePoint> said_free_;
};

}  // namespace sluice
