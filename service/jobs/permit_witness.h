#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A process that got a permit's token in its initial environment, and the user it belongs to.
struct PermitWitness {
  std::string token;
  uid_t user = 0;
};

/// Processes that can vouch for one that shows no token itself, such as a command under sudo.
struct PermitWitnesses {
  /// Its ancestors, nearest first; empty if unknown.
  std::function<std::vector<PermitWitness>(pid_t)> above = {};
  /// Processes in the same job's group, in no order; empty if unknown.
  std::function<std::vector<PermitWitness>(pid_t)> beside = {};
};

/// Reads /proc. Leaves out what it may not read: other users' processes, unless this is root.
PermitWitnesses witnesses_of_this_host();

/// The innermost group that a Runner made for one job, taken from the text of /proc/PID/cgroup:
/// "sluice.7/job.1" with everything above it and its hierarchy in front. Empty if there is none.
/// Other groups tell nothing: those of a login, of a service and the root hold processes of many
/// origins. Pure.
std::string job_group_in(std::string_view cgroups);

}  // namespace sluice
