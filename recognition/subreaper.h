#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/process_table.h"

namespace sluice {

/// While it exists, the orphans of all that this process has started become its children. One at a
/// time. Not thread-safe.
class Subreaper {
 public:
  /// `child`: one of this process, which somebody else waits for, as for all that it has by now.
  explicit Subreaper(pid_t child);
  ~Subreaper();
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

  /// Whether a process is such an orphan. A fork of this process that executes nothing is none: the
  /// guard of `ResumeOnExit`.
  bool has_adopted(const ProcessFacts& process) const;

  /// How a process has ended, as `wait` returns it: of an orphan, which then is no zombie, and of
  /// one that is traced, whose parent then learns of its end. nullopt for others.
  static std::optional<int> reap(pid_t process);

 private:
  int before_ = 0;
  std::set<pid_t> own_;
  const std::vector<std::string> command_;
};

}  // namespace sluice
