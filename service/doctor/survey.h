#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "process/cgroup/left_behind.h"
#include "sluice/units.h"

namespace sluice {

/// This process's cgroup in one hierarchy.
struct OwnGroup {
  std::string name;    ///< "v2", or the controller of a v1 hierarchy: "memory", "freezer"…
  std::string folder;  ///< Absolute.
  bool is_v2 = false;
  bool is_writable = false;          ///< This user may create groups below it.
  std::size_t other_processes = 0;   ///< In the group itself, besides this one.
  bool is_root = false;              ///< It is the hierarchy's root.
  std::vector<std::string> lacking;  ///< v2: which of memory and io the group lacks.
  bool switches_on = false;          ///< v2: already enables memory or io for the groups below it.
};

/// A limit on everything in this process's cgroup.
struct BindingLimit {
  std::string what;  ///< "memory 1.5 GiB", "2.5 CPUs", "512 tasks".
  std::string file;  ///< The file that sets it.
};

/// A path where clients look for the daemon.
struct SocketPlace {
  enum class State { absent, served, stale, denied, irregular };
  std::string path;
  State state = State::absent;
  /// If denied: the group to join; empty if its members may not use it either, or if it is root's.
  std::string group = {};
};

/// A file that a newer Sluice has written.
struct NewerFile {
  enum class Kind { jobs, history, record };
  Kind kind;
  std::string path;
  std::uint32_t version = 0, known = 0;  ///< Of its schema; the last one that this Sluice knows.
};

/// A folder for state, and the problem with a file in it; empty if there is none.
struct StatePlace {
  std::string folder;
  std::string problem;
  std::string closed = {};  ///< What this user may not write there, and why; empty if nothing.
  std::vector<NewerFile> newer = {};
  std::vector<std::string> moved_aside = {};  ///< Files that Sluice found broken.
};

struct HostSurvey {
  std::vector<OwnGroup> groups;      ///< The groups of jobs would be below these.
  std::vector<std::string> v2_tops;  ///< Mount points of v2.
  bool accounts_memory = false;      ///< A memory controller accounts for this process's cgroup.
  std::vector<std::string> group_problems;
  bool measures_cpu = false, measures_memory = false, measures_io = false;  ///< Pressure stalls.
  Bytes swap;
  std::string no_swap_file;  ///< A memory.swap.max of 0 that applies to this process; or empty.
  std::vector<std::string> oom_groups;  ///< Levels at which the kernel kills all processes at once.
  std::vector<BindingLimit> limits;
  /// The hard RLIMIT_NOFILE, to which the daemon raises its own limit.
  std::uint64_t most_files = 0;
  std::vector<SocketPlace> sockets;
  std::optional<StatePlace> state;       ///< nullopt if there is no state folder, as without $HOME.
  std::vector<std::string> left_behind;  ///< Groups of governors that have died.
  bool sees_all_processes = true;        ///< /proc shows other users' processes.
  std::vector<std::string> unreadable;   ///< What could not be read, one sentence each.
};

/// Reads this host as this process's user. `socket`: --socket, may be empty; `state_folder`: where
/// a daemon would store its state. Changes nothing.
HostSurvey survey_host(const std::string& socket, const std::optional<std::string>& state_folder);

/// The part of that survey that `memory.enforce` depends on, without a walk through the group tree:
/// the groups, swap, and where v2 is mounted.
HostSurvey survey_memory();

/// The part about this process's groups, without other processes in them, and their limits, without
/// a walk through the group tree.
HostSurvey survey_own_groups();

/// Removes the groups that `survey_host` finds left behind, with everything that runs in them. Does
/// not touch groups of live governors, in whatever namespace. A group that another user owns stays.
CleanedUp clean_host();

}  // namespace sluice
