#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A process that was told on whose permit it works when it began, and whose process it is.
struct PermitWitness {
  std::string token;
  uid_t user = 0;
};

/// Who can speak for a process that shows no token itself, such as a command under sudo.
struct PermitWitnesses {
  /// Those above it, nearest first; empty: nobody can tell.
  std::function<std::vector<PermitWitness>(pid_t)> above = {};
  /// Those in the same group of a job, in no order; empty: nobody can tell.
  std::function<std::vector<PermitWitness>(pid_t)> beside = {};
};

/// Those that /proc shows. What may not be read is left out: other users', unless this is root.
PermitWitnesses witnesses_of_this_host();

/// From the text of /proc/PID/cgroup, the innermost group that a Runner made for one job,
/// "sluice.7/job.1" and all above it, with its hierarchy in front; empty: it is in none. Any other
/// group says nothing: a login's, a service's or the root has processes of many origins. Pure.
std::string job_group_in(std::string_view cgroups);

}  // namespace sluice
