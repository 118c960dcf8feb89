#pragma once

#include <signal.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace sluice {

/// What a process is to become.
struct Spawning {
  /// `own`: a process group of its own, no descriptor but those named, signals as at boot.
  /// `in_place`: this process's group and descriptors, the signal mask that is named.
  enum class Place { own, in_place };
  Place place = Place::own;
  std::vector<std::string> argv;                   ///< Looked up in PATH; never run by a shell.
  std::string directory;                           ///< Empty: here.
  std::map<std::string, std::string> environment;  ///< Added to, or in place of, this process's.
  std::optional<std::set<std::string>> inherited;  ///< Of this process's; none: all of it.
  std::optional<int> nice;                         ///< None: this process's.
  int streams[3] = {-1, -1, -1};                   ///< Descriptors; -1: /dev/null. For `own`.
  std::vector<int> kept;                           ///< More descriptors that it inherits.
  sigset_t mask{};                                 ///< For `in_place`.
  int death_signal = SIGKILL;                      ///< Sent to it when this thread ends.
  std::vector<int> joins;  ///< Open cgroup.procs files it writes itself into before it begins.
  int born_in = -1;        ///< Open folder of a v2 cgroup that it is made in.
};

/// A process that has become the command, or why it has not.
struct Spawned {
  pid_t pid = 0;          ///< 0: it did not begin.
  int error = 0;          ///< Of what kept it from beginning.
  std::string reason;     ///< One line: what failed.
  int nice_error = 0;     ///< It runs, but no nicer than before; 0: as asked.
  bool kept_out = false;  ///< What failed was to get into the cgroups.
};

/// Starts the process; returns when it has become the command. All of this process waits so long,
/// for the two share their memory until then, which saves the copying of its page tables.
Spawned spawn(const Spawning& spawning);

}  // namespace sluice
