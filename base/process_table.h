#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// What the kernel tells of one process.
struct ProcessFacts {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  char state = '?';           ///< R running, S asleep, T stopped, Z ended and not waited for…
  std::uint64_t started = 0;  ///< Ticks since boot: tells two processes of one number apart.
  Duration cpu{0};            ///< User and system, its own and of the children it has waited for.

  bool is_alive() const { return state != 'Z' && state != 'X' && pid != 0; }
  bool is_stopped() const { return state == 'T' || state == 't'; }
};

/// The text of /proc/PID/stat; none for a text of another form. `tick` is the length of a clock
/// tick of this machine.
std::optional<ProcessFacts> parse_process(std::string_view stat, Duration tick);

/// The length of a clock tick of this machine, in which `started` is counted.
Duration tick_of_this_machine();

/// What a process has in memory.
struct ProcessMemory {
  Bytes own;     ///< Resident and of no file: nobody else's, and not to be had back.
  Bytes shared;  ///< Resident pages of files and of shared memory.
};

/// The text of /proc/PID/statm.
std::optional<ProcessMemory> parse_process_memory(std::string_view statm, Bytes page);

/// What is its part of anonymous memory, where pages that it shares with others since a fork count
/// in equal parts, by the text of /proc/PID/smaps_rollup; none for a text of another form.
std::optional<Bytes> parse_anonymous_part(std::string_view smaps_rollup);

/// Every process that can be seen, in no order. About 10 µs each.
std::vector<ProcessFacts> read_processes();

std::optional<ProcessFacts> read_process(pid_t pid);

/// The signal that a process dies or died by, as the text of /proc/PID/stat says. None: it lives,
/// ended by itself, or this user may not know, which look the same there.
std::optional<int> parse_signal_of_death(std::string_view stat);

/// The same of a process that nobody has waited for yet.
std::optional<int> read_signal_of_death(pid_t pid);
std::optional<ProcessMemory> read_process_memory(pid_t pid);

/// The kernel walks the page tables for it: about 10 ms for each GiB. None: the process has ended,
/// or this user may not know, or the kernel (before 5.4) does not say.
std::optional<Bytes> read_anonymous_part(pid_t pid);

/// Its parent, the parent of that and so on, nearest first, as far as they can be seen.
std::vector<pid_t> ancestors_of(pid_t pid);

/// The text of /proc/PID/schedstat; empty if there is none.
std::string read_schedstat(pid_t pid);

/// Whether the process began with a variable in its environment that begins with `beginning`.
bool began_with(pid_t pid, const std::string& beginning);

/// The value of a variable in the environment that the process began with; empty: none, or nobody
/// may read it.
std::string variable_of(pid_t pid, const std::string& name);

/// The text of /proc/PID/cgroup; empty if there is none.
std::string read_groups(pid_t pid);

/// The children of this thread that have not been waited for. Orphans that this process adopts
/// become its main thread's.
std::vector<pid_t> read_own_children();

/// Of `processes`, those that `begins` names, those whose group or session it names, and all their
/// descendants; each once. Pure.
std::vector<ProcessFacts> descendants_of(const std::vector<ProcessFacts>& processes,
                                         const std::vector<pid_t>& begins);

/// Processes the kernel has killed on this host for lack of memory; none where it does not say.
std::optional<std::uint64_t> read_host_oom_kills();

/// All swap space of this host; 0 where it does not say.
Bytes read_host_swap();

}  // namespace sluice
