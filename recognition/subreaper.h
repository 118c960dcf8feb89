#pragma once

#include <sys/types.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/non_copyable.h"
#include "base/process_table.h"

namespace sluice {

/// While it exists, the orphans of all that this process has started become its children. One at a
/// time. Not thread-safe.
class Subreaper : NonCopyable {
 public:
  /// `child`: a child of this process. Other code waits for it and for every other child that this
  /// process has now: none of them counts as an orphan.
  explicit Subreaper(pid_t child);
  ~Subreaper();

  /// Whether a process is such an orphan. A fork of this process that executes nothing is none: the
  /// guard of `ResumeOnExit`.
  bool has_adopted(const ProcessFacts& process) const;

  /// Reaps an ended orphan or traced process and returns its status as `wait` does; the parent of a
  /// traced one learns of its end only then. nullopt for any other process.
  static std::optional<int> reap(pid_t process);

 private:
  int before_ = 0;
  std::set<pid_t> own_;
  const std::vector<std::string> command_;
};

}  // namespace sluice
