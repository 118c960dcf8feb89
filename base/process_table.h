#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptors.h"
#include "sluice/units.h"

namespace sluice {

/// The kernel's facts about one process.
struct ProcessFacts {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  char state = '?';           ///< R running, S asleep, T stopped, Z zombie…
  std::uint64_t started = 0;  ///< Ticks since boot: distinguishes two processes with the same pid.
  Duration cpu{0};            ///< User and system time; includes the children it waited for.
  std::uint64_t pages = 0;    ///< Resident.
  bool has_executed = true;   ///< Since it was forked: it is no mere copy of its parent.
  bool is_kernel_thread = false;  ///< It runs nothing but the kernel's own code.

  bool is_alive() const { return state != 'Z' && state != 'X' && pid != 0; }
  bool is_stopped() const { return state == 'T' || state == 't'; }
};

/// Parses /proc/PID/stat; nullopt if malformed. `tick` is the length of a clock tick of this
/// machine.
std::optional<ProcessFacts> parse_process(std::string_view stat, Duration tick);

/// The length of a clock tick of this machine, the unit of `started`.
Duration tick_of_this_machine();

/// A process's resident memory.
struct ProcessMemory {
  Bytes own;     ///< Resident and anonymous: private, and not reclaimable.
  Bytes shared;  ///< Resident pages of files and shared memory.
};

/// Parses /proc/PID/statm.
std::optional<ProcessMemory> parse_process_memory(std::string_view statm, Bytes page);

/// Parses /proc/PID/smaps_rollup: the process's part of anonymous memory, where pages shared since
/// a fork count in equal parts; nullopt if malformed.
std::optional<Bytes> parse_anonymous_part(std::string_view smaps_rollup);

/// The users of a process.
struct ProcessUsers {
  uid_t real = 0;       ///< The user that started it.
  uid_t effective = 0;  ///< The user whose rights it has.

  bool operator==(const ProcessUsers&) const = default;
};

/// Parses /proc/PID/status; nullopt if malformed. Pure.
std::optional<ProcessUsers> parse_process_users(std::string_view status);

/// nullopt if there is no such process, or it is not visible.
std::optional<ProcessUsers> users_of(pid_t process);

/// "/proc/PID/FILE".
std::string proc_path(pid_t pid, const char* file);

/// The first `limit` bytes of a file in /proc; empty if it is gone.
std::string beginning_of(const std::string& path, std::size_t limit);

/// The first line of a short one.
std::string first_line_of(const std::string& path);

/// The numbers of all visible processes from `first` on, in no order. Some below may be among them.
std::vector<pid_t> list_processes(pid_t first = 0);

/// Parses /proc/loadavg: the number that a process or thread was given last; nullopt if it names
/// none.
std::optional<pid_t> parse_newest_process(std::string_view loadavg);

/// Every visible process, in no order. About 10 µs each.
std::vector<ProcessFacts> read_processes();

std::optional<ProcessFacts> read_process(pid_t pid);

/// Its /proc/PID/stat, open: for those read again and again, at half of the cost.
Descriptor open_process_stat(pid_t pid);
/// The same of a process by `open_process_stat`. nullopt once it has ended and was waited for, even
/// if another has got its number.
std::optional<ProcessFacts> read_process(const Descriptor& stat);

/// Whether one of its threads runs, waits for a CPU, or waits in the kernel and cannot be
/// interrupted, as for memory that is reclaimed. False for a process that is not visible.
bool has_busy_thread(pid_t pid);

/// The children of each of its threads that waits in the kernel and cannot be interrupted, as in
/// vfork() until what it has forked executes something. nullopt if there is no such thread.
std::optional<std::vector<pid_t>> read_children_of_uninterruptible(pid_t pid);

/// The signal that a process dies or died from, by the text of /proc/PID/stat. nullopt if it lives,
/// exited normally, or this user may not know: these look the same there.
std::optional<int> parse_signal_of_death(std::string_view stat);

/// The same for a process that has not been waited for yet.
std::optional<int> read_signal_of_death(pid_t pid);
std::optional<ProcessMemory> read_process_memory(pid_t pid);

/// The kernel walks the page tables for this: about 10 ms per GiB. nullopt if the process has
/// ended, this user may not know, or the kernel (before 5.4) does not report it.
std::optional<Bytes> read_anonymous_part(pid_t pid);

/// Its parent, that one's parent and so on, nearest first, as far as visible.
std::vector<pid_t> ancestors_of(pid_t pid);

/// The text of /proc/PID/schedstat; empty if there is none.
std::string read_schedstat(pid_t pid);

/// Whether the process was started with an environment variable whose definition begins with
/// `beginning`.
bool began_with(pid_t pid, const std::string& beginning);

/// The value of a variable in the environment the process was started with; empty if it is missing
/// or unreadable.
std::string variable_of(pid_t pid, const std::string& name);

/// The text of /proc/PID/cgroup; empty if there is none.
std::string read_groups(pid_t pid);

/// The children of this thread that have not been waited for. Orphans adopted by this process
/// become children of its main thread. None where the kernel lists no children
/// (CONFIG_PROC_CHILDREN, gVisor).
std::vector<pid_t> read_own_children();
/// The same; where the kernel lists none, reads all processes for the children of any thread.
std::vector<pid_t> read_children_of_this_process();

/// Those of `processes` that `begins` names, by pid, group or session, and all their descendants;
/// each once. Pure.
std::vector<ProcessFacts> descendants_of(const std::vector<ProcessFacts>& processes,
                                         const std::vector<pid_t>& begins);

/// Processes on this host that the OOM killer has killed; nullopt if the kernel does not report it.
std::optional<std::uint64_t> read_host_oom_kills();

/// Total swap space of this host; 0 if the kernel does not report it.
Bytes read_host_swap();

}  // namespace sluice
