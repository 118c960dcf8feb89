#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"
#include "service/jobs/lost_connection.h"

namespace sluice {

/// Monitors the groups that the kernel kills whole (memory.oom.group, cgroup v2) and that processes
/// of jobs run in. Not thread-safe.
class OomGroups {
 public:
  explicit OomGroups(HostPaths paths = {}) : paths_(std::move(paths)) {}

  /// Monitors the groups that the job's process is in now. A process that cannot be seen is in no
  /// such group.
  void begin(JobId job, pid_t process, TimePoint now);
  void forget_job(JobId job);

  /// Call it about once a second: kills and peaks get the time of the poll that saw them.
  void sample(TimePoint now);

  /// Last kill, since the job began, of a group that its process ran in; reads the counts now.
  /// nullopt if there was none.
  std::optional<GroupKill> kill_of(JobId job, TimePoint now);

 private:
  struct Group {
    KeptFile events, peak;
    std::size_t jobs = 0;
    std::optional<std::uint64_t> kills, most;  ///< As of the last poll.
    std::optional<TimePoint> killed, peaked;
  };
  struct Known {
    std::vector<std::string> folders;
    TimePoint until;
  };

  const std::vector<std::string>& groups_of(const std::string& lines, TimePoint now);
  std::vector<std::string> find_groups(const std::string& lines, TimePoint now);
  static void sample(Group& group, TimePoint now);

  HostPaths paths_;
  RescanTimer rescan_;
  std::vector<Mount> mounts_;
  std::map<std::string, Known> known_;  ///< Keyed by the text of a process's cgroup file.
  std::map<std::string, Group> groups_;
  struct Watched {
    std::vector<std::string> folders;
    TimePoint since;
  };
  std::unordered_map<std::uint64_t, Watched> jobs_;
};

}  // namespace sluice
