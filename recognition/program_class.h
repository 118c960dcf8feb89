#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sluice {

/// What a process of a build is by its command line.
enum class ProgramClass {
  /// Waits for others, or only moves bytes: shells, make, compiler drivers, tee. It costs nothing
  /// and is never held.
  transparent,
  heavy,  ///< Compiles or links: it needs a permit from its start, unless its runs are brief.
  other,  ///< Unknown: a job all the same, unless it ends at once.
  /// A client of the daemon with permits of its own, `sluice run` and the like: neither it nor what
  /// it starts is looked at.
  governed
};

/// A command line as recognition sees it.
struct ProgramKind {
  ProgramClass what = ProgramClass::other;
  /// It ends what it has started after a time of its own, or judges how long that takes, as
  /// `timeout` and `ctest` do.
  bool keeps_time = false;
  /// `other`, and known to come to hold much: it needs a permit from its start.
  bool is_known_heavy = false;
  /// `heavy`, and its last runs ended at once: it needs a permit only if it goes on for longer.
  bool is_brief = false;

  bool operator==(const ProgramKind&) const = default;
};

/// Programs, by file name, that are configured or about which something was learned.
struct ListedPrograms {
  std::map<std::string, ProgramClass> classes = {};  ///< Before what is known of them.
  std::set<std::string> timekeepers = {};            ///< Run tests against a clock.
  std::set<std::string> learned = {};  ///< Known to be heavy; as `program_of` names them.
};

/// Recognises a command as execve got it. Pure; accepts any command. An empty one, which a kernel
/// thread or a process at its end has, is transparent.
ProgramKind program_kind(std::span<const std::string> command, const ListedPrograms& listed);

/// The command from which the key of its job is made: that of a linker without the options whose
/// value would pass for what it links, so that it is known by its output. Pure.
std::vector<std::string> command_for_key(std::vector<std::string> command);

}  // namespace sluice
