#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sensors/cgroup/cgroupfs.h"
#include "sensors/files/file.h"

namespace sluice {

/// A count of processes that the kernel has killed for memory, as it was at some time.
struct KillMark {
  std::string file;                     ///< That counts them.
  std::optional<std::uint64_t> before;  ///< nullopt if it did not say.
};

/// Counts kills for memory where a process lives: in its memory group (`oom_kill` in
/// memory.events.local, memory.events or, under cgroup v1, memory.oom_control), so that kills
/// elsewhere do not count. Where its group counts none, as at the root and before Linux 4.13, those
/// of the host (/proc/vmstat). Not thread-safe.
class KillCounter {
 public:
  explicit KillCounter(HostPaths paths = {}) : paths_(std::move(paths)) {}

  /// The count of the group that the process is in now.
  KillMark mark(pid_t process, TimePoint now);
  /// Kills since then; 0 if that is not known.
  std::uint64_t since(const KillMark& mark) const;

 private:
  const std::string& file_for(const std::string& lines);
  std::string find_file(const std::string& lines) const;
  std::optional<std::uint64_t> count_in(const std::string& file) const;

  HostPaths paths_;
  RescanTimer rescan_;
  std::vector<Mount> mounts_;
  std::map<std::string, std::string> files_;  ///< By the text of a process's cgroup file.
};

}  // namespace sluice
