#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "recognition/build_tree.h"
#include "recognition/program_class.h"
#include "sluice/units.h"

namespace sluice {

/// The compilers of a build whose runs all end at once, as for a line of C. To ask for a permit for
/// each takes a tenth as much CPU time as such a run. So after some in a row a heavy program counts
/// as brief, until one of its runs lasts: see `ProgramKind::is_brief`. Not thread-safe.
class BriefPrograms {
 public:
  /// A longer run is not brief.
  static constexpr Duration kBrief = BuildTreeOptions{}.observation;
  static constexpr std::size_t kRunsInARow = 8;

  /// `is_exact`: the times are those of the kernel's events. Otherwise none is brief.
  explicit BriefPrograms(bool is_exact) : is_exact_(is_exact) {}

  /// What a process that has just executed `command` is; see `program_kind`.
  ProgramKind became(pid_t process, std::span<const std::string> command,
                     const ListedPrograms& listed, TimePoint now);
  /// It asks for a permit: if it has run for `kBrief`, it lasts.
  void asks(pid_t process, TimePoint now);
  /// It stands still: how long it takes from here on says nothing.
  void held(pid_t process) { running_.erase(process); }
  void gone(pid_t process, TimePoint now);

 private:
  struct Run {
    std::string program;
    TimePoint began;
  };

  const bool is_exact_;
  std::map<pid_t, Run> running_;  ///< Of heavy programs.
  std::map<std::string, std::size_t> in_a_row_;
};

}  // namespace sluice
