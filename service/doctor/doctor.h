#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process/cgroup/left_behind.h"
#include "sluice/units.h"

namespace sluice {

/// What `sluice doctor` reads of a host, as values.

/// This process's cgroup in one hierarchy.
struct OwnGroup {
  std::string name;    ///< "v2", or the controller of a v1 hierarchy: "memory", "freezer"…
  std::string folder;  ///< Absolute.
  bool is_v2 = false;
  bool is_writable = false;          ///< This user may make groups below it.
  std::size_t other_processes = 0;   ///< In the group itself, besides this one.
  bool is_root = false;              ///< The hierarchy's root.
  std::vector<std::string> lacking;  ///< v2: of memory and io, what the group is not given.
  bool switches_on = false;          ///< v2: gives memory or io to the groups below it already.
};

/// A limit that holds for everything in this process's cgroup.
struct BindingLimit {
  std::string what;  ///< "memory 1.5 GiB", "2.5 CPUs", "512 tasks".
  std::string file;  ///< That sets it.
};

/// A place where clients look for the daemon.
struct SocketPlace {
  enum class State { absent, served, stale, denied, irregular };
  std::string path;
  State state = State::absent;
};

/// A folder where state is kept, and what is wrong with a file in it; empty: nothing.
struct StatePlace {
  std::string folder;
  std::string problem;
};

struct HostSurvey {
  std::vector<OwnGroup> groups;      ///< Those jobs would get groups below.
  std::vector<std::string> v2_tops;  ///< Where v2 is mounted.
  bool accounts_memory = false;      ///< A memory controller accounts for this process's cgroup.
  std::vector<std::string> group_problems;
  bool measures_cpu = false, measures_memory = false, measures_io = false;  ///< Pressure stalls.
  Bytes swap;
  std::string no_swap_file;  ///< A memory.swap.max of 0 that holds for this process; else empty.
  std::vector<std::string> oom_groups;  ///< Levels whose processes are killed all at once.
  std::vector<BindingLimit> limits;
  std::uint64_t most_files = 0;  ///< The hard RLIMIT_NOFILE; the daemon raises its own to it.
  std::vector<SocketPlace> sockets;
  std::optional<StatePlace> state;       ///< None: no state folder, as there is no home.
  std::vector<std::string> left_behind;  ///< Groups of governors that have died.
  bool sees_all_processes = true;        ///< /proc shows other users' processes.
  std::vector<std::string> unreadable;   ///< What could not be found out, a sentence each.
};

/// Reads this host as this process's user. `socket`: --socket, may be empty; `state_folder`: where
/// a daemon would keep its state. Changes nothing.
HostSurvey survey_host(const std::string& socket, const std::optional<std::string>& state_folder);

/// Of that survey what `memory.enforce` rests on, without a walk through the tree of groups: the
/// groups, swap, and where v2 is mounted.
HostSurvey survey_memory();

/// One line of the answer.
struct Finding {
  enum class State {
    good,
    limited,  ///< Sluice works, with less than it could have.
    broken    ///< Something must be mended.
  };
  State state = State::good;
  std::string check;   ///< One word: "cgroups", "swap"…
  std::string found;   ///< What is there, a sentence without its full stop.
  std::string advice;  ///< What to do; empty where it is good.
};

/// "ok", "limited", "broken"
std::string_view to_string(Finding::State state);

/// What the survey means for jobs, at least one finding for each check, always in the same order.
/// Pure.
std::vector<Finding> findings_of(const HostSurvey& survey);

/// Of those findings the ones that say that memory is not accounted for this process's group, found
/// without a walk through the tree of groups: for the daemon's log.
std::vector<Finding> memory_findings();

/// Whether any must be mended. Pure.
bool is_broken(const std::vector<Finding>& findings);

/// Removes the groups that `survey_host` finds left behind, each with what runs in it. Groups of
/// governors that live, in whatever namespace, are not touched. A group that another user owns
/// stays.
CleanedUp clean_host();

}  // namespace sluice
