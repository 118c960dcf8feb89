#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/files/result.h"
#include "sluice/units.h"

namespace sluice {

/// Parsers of the kernel's files in /proc. All are pure, never throw whatever the bytes, and name
/// what is missing in a failure, but not the file.

/// /proc/loadavg.
struct LoadAverage {
  double one = 0;              ///< Over about one minute; tasks that run or wait for CPU or disk.
  std::uint64_t runnable = 0;  ///< Tasks that run or wait for a CPU now.
  std::uint64_t tasks = 0;     ///< All tasks, threads included.
};
Result<LoadAverage> parse_loadavg(std::string_view text);

/// /proc/meminfo.
struct MemInfo {
  Bytes total;
  Bytes available;  ///< Available without swapping, by the kernel's own estimate.
};
Result<MemInfo> parse_meminfo(std::string_view text);

/// One line of a pressure stall file.
struct PsiLine {
  double avg10 = 0, avg60 = 0, avg300 = 0;  ///< Per cent of time.
  std::uint64_t total = 0;                  ///< Microseconds since the start.
};
/// /proc/pressure/* and a cgroup's *.pressure. `full` is missing for cpu before Linux 5.13.
struct Psi {
  PsiLine some;
  std::optional<PsiLine> full;
};
Result<Psi> parse_psi(std::string_view text);

/// One line of /proc/PID/cgroup.
struct CgroupLine {
  int hierarchy = 0;                     ///< 0 is v2.
  std::vector<std::string> controllers;  ///< Empty for v2; "name=x" for a named hierarchy.
  std::string path;                      ///< Verbatim, colons and blanks included.
};
/// All lines; a single one that cannot be parsed fails the whole, as it may be the one that names
/// the limit.
Result<std::vector<CgroupLine>> parse_proc_cgroup(std::string_view text);

/// One line of /proc/PID/mountinfo, with octal escapes decoded.
struct Mount {
  std::string root;   ///< The mounted part of the filesystem: "/" or a folder of it.
  std::string point;  ///< Mount point.
  std::string type;
  std::string options;  ///< Of the filesystem: "rw,cpu,cpuacct".
};
/// The mounts of cgroup filesystems, v1 and v2. Skips lines of other filesystems; fails if no line
/// is well-formed.
Result<std::vector<Mount>> parse_cgroup_mounts(std::string_view text);

/// The CPUs of a list such as "0-3,7", in its order; nullopt for anything else, including an empty
/// list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view list);

/// Their number.
std::optional<int> count_cpus(std::string_view list);

/// The list of CPUs this process may run on, from /proc/PID/status; empty if there is none.
std::string_view cpus_allowed_list(std::string_view text);

/// The number of CPUs this process may run on, from /proc/PID/status.
std::optional<int> parse_cpus_allowed(std::string_view text);

}  // namespace sluice
