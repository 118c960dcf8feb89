#pragma once

#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice {

/// A command, and what it has of this process.
struct ProcessSettings {
  std::vector<std::string> argv;                   ///< Looked up in PATH; never run by a shell.
  std::string directory;                           ///< Empty for this process's.
  std::map<std::string, std::string> environment;  ///< Added to, or overriding, this process's.
  std::optional<std::set<std::string>> inherited;  ///< Of this process's; nullopt for all.
  std::optional<int> nice;                         ///< -20 to 19; nullopt for this process's.
  std::vector<int> kept;                           ///< Descriptors that it inherits.
  /// Its soft limit of open descriptors, at most the hard one; nullopt for this process's.
  std::optional<std::uint64_t> most_descriptors;
};

/// The process to start.
struct Spawning : ProcessSettings {
  /// `own`: a process group of its own, only the descriptors listed here, default signal handling.
  /// `in_place`: this process's group, descriptors, ignored signals, and `mask`.
  enum class Place { own, in_place };
  Place place = Place::own;
  int streams[3] = {-1, -1, -1};  ///< Descriptors; -1 for /dev/null. For `own`.
  sigset_t mask{};                ///< For `in_place`.
  int death_signal = SIGKILL;     ///< Sent to it when the starting thread ends.
  std::vector<int> joins;         ///< Open cgroup.procs files that it joins before it executes.
  int born_in = -1;               ///< Open folder of the v2 cgroup to clone it into; -1 for none.
  std::atomic<pid_t>* number = nullptr;  ///< In shared memory: where it writes its number at first.
  /// Called here with the new process, which executes the command once this has returned: so
  /// whatever it sets up sees all that the command starts. Copies the page tables.
  std::function<void(pid_t process)> before_exec;
};

/// A process that executes the command, or why it does not.
struct Spawned {
  pid_t pid = 0;          ///< 0 if it did not start.
  int error = 0;          ///< errno of the failure.
  std::string reason;     ///< What failed, in one line.
  int nice_error = 0;     ///< errno if `nice` failed and the command runs without it; else 0.
  bool kept_out = false;  ///< It failed to join the cgroups.
};

/// Starts the process; returns once it executes the command. Blocks until then, since the two share
/// their memory, which saves copying the page tables.
Spawned spawn(const Spawning& spawning);

}  // namespace sluice
