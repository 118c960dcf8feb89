#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sensors/cgroupfs.h"
#include "sensors/file.h"
#include "service/jobs/lost_connection.h"
#include "sluice/job.h"

namespace sluice {

/// Watches the groups that the kernel kills whole (memory.oom.group, cgroup v2), as far as
/// processes of jobs run in them. Not thread-safe.
class OomGroups {
 public:
  explicit OomGroups(HostPaths paths = {}) : paths_(std::move(paths)) {}

  /// The job's process runs where it is now. A process that cannot be seen is in no such group.
  void begin(JobId job, pid_t process, TimePoint now);
  void over(JobId job);

  /// To be called about once a second: a kill, and a peak, are as old as the look that saw them.
  void look(TimePoint now);

  /// The last kill since the job began of a group that its process ran in; reads it now. None:
  /// none.
  std::optional<GroupKill> kill_of(JobId job, TimePoint now);

 private:
  struct Group {
    KeptFile events, peak;
    std::size_t jobs = 0;
    std::optional<std::uint64_t> kills, most;  ///< At the last look.
    std::optional<TimePoint> killed, peaked;
  };
  struct Known {
    std::vector<std::string> folders;
    TimePoint until;
  };

  const std::vector<std::string>& groups_of(const std::string& lines, TimePoint now);
  std::vector<std::string> find_groups(const std::string& lines, TimePoint now);
  static void look(Group& group, TimePoint now);

  HostPaths paths_;
  LookAgain look_again_;
  std::vector<Mount> mounts_;
  std::map<std::string, Known> known_;  ///< By the text of a process's cgroup file.
  std::map<std::string, Group> groups_;
  struct Watched {
    std::vector<std::string> folders;
    TimePoint since;
  };
  std::unordered_map<std::uint64_t, Watched> jobs_;
};

}  // namespace sluice
