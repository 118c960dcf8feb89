#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "base/process_table.h"
#include "process/child/job_processes.h"
#include "process/child/resume_on_exit.h"

namespace sluice {

/// Stops and continues a child with its descendants, which share this process's process group. If
/// this process dies, a guard continues what it has stopped. Not thread-safe.
class TreeSuspension {
 public:
  explicit TreeSuspension(pid_t child) : processes_(child) {}
  ~TreeSuspension() { go_on(); }
  TreeSuspension(const TreeSuspension&) = delete;
  TreeSuspension& operator=(const TreeSuspension&) = delete;

  /// May be called again; it then stops what the child has started meanwhile.
  void stop();
  void go_on();

 private:
  bool stop_those_going();

  JobProcesses processes_;
  std::optional<ResumeOnExit> guard_;
  std::vector<ProcessIdentity> stopped_;
};

}  // namespace sluice
