#include "recognition/subreaper.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recognition/process_facts.h"

namespace sluice {

Subreaper::Subreaper(pid_t child) : own_{child}, command_(read_command(getpid())) {
  for (const pid_t each : read_children_of_this_process()) own_.insert(each);
  prctl(PR_GET_CHILD_SUBREAPER, &before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Subreaper::~Subreaper() { prctl(PR_SET_CHILD_SUBREAPER, before_); }

bool Subreaper::has_adopted(const ProcessFacts& process) const {
  if (process.parent != getpid() || own_.contains(process.pid)) return false;
  return read_command(process.pid) != command_;
}

std::optional<int> Subreaper::reap(pid_t process) {
  int status = 0;
  const bool has_ended = waitpid(process, &status, WNOHANG) == process && !WIFSTOPPED(status);
  return has_ended ? std::optional(status) : std::nullopt;
}

}  // namespace sluice
