#include "service/doctor/enforce_check.h"

#include <algorithm>

#include "base/parse.h"
#include "base/process_table.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

/// Why this process cannot give a job a group with a memory limit; empty if it can.
std::string problem_of(const std::vector<OwnGroup>& groups) {
  for (const OwnGroup& group : groups) {
    if (!group.is_v2 && group.name != "memory") continue;
    if (!group.is_writable) return "cannot create groups below " + group.folder;
    const bool lacks = std::ranges::count(group.lacking, std::string_view("memory")) > 0;
    return lacks ? group.folder + " has no controller for memory" : "";
  }
  return "there is no memory cgroup";
}

EnforceVerdict judge_high(const EnforceHost& host, JobsRunBy by) {
  const std::string standstill = ", so jobs would stall at their limit; ";
  const std::string advice = "add swap, or set max or off";
  if (host.swap == Bytes{}) {
    return {"memory.enforce: high: this host has no swap" + standstill + advice, {}};
  }
  if (!host.has_memory_high) {
    return {{}, "memory.enforce: high limits no job: this host has no cgroup v2 memory controller"};
  }
  if (host.no_swap_file.empty()) return {};
  const std::string why = "memory.enforce: high: " + host.no_swap_file + " is 0" + standstill;
  if (by == JobsRunBy::itself) return {why + "raise it, or set max or off", {}};
  return {{}, why + "jobs there are not limited"};
}

EnforceVerdict judge_max(const EnforceHost& host, JobsRunBy by) {
  const std::string advice = "; set off, or delegate a group with a memory controller";
  if (!host.has_memory_groups) {
    return {
        "memory.enforce: max: this host has no memory cgroup, so Sluice cannot limit jobs and "
        "would refuse those with a known need" +
            advice,
        {}};
  }
  const std::string problem = problem_of(host.groups);
  if (problem.empty()) return {};
  if (by == JobsRunBy::itself) {
    return {"memory.enforce: max: cannot limit jobs of work sources: " + problem + advice, {}};
  }
  return {{},
          "memory.enforce: max: " + problem +
              ": jobs of clients without groups of their own are refused"};
}

EnforceHost look_at_enforcement() {
  EnforceHost host;
  HostSurvey survey = survey_memory();
  for (const OwnGroup& group : survey.groups) {
    const bool is_v1_memory = group.name == "memory";
    host.has_memory_groups = host.has_memory_groups || is_v1_memory;
  }
  for (const std::string& top : survey.v2_tops) {
    const std::string given =
        " " + std::string(trimmed(read_group_file(top + "/cgroup.controllers"))) + " ";
    host.has_memory_high = host.has_memory_high || given.find(" memory ") != std::string::npos;
  }
  host.has_memory_groups = host.has_memory_groups || host.has_memory_high;
  host.groups = std::move(survey.groups);
  host.swap = survey.swap;
  host.no_swap_file = std::move(survey.no_swap_file);
  return host;
}

}  // namespace

EnforceVerdict judge_enforce(ReservationOptions::Enforce enforce, const EnforceHost& host,
                             JobsRunBy by) {
  switch (enforce) {
    case ReservationOptions::Enforce::off:
      return {};
    case ReservationOptions::Enforce::high:
      return judge_high(host, by);
    case ReservationOptions::Enforce::max:
      return judge_max(host, by);
  }
  return {};
}

EnforceVerdict judge_enforce_here(ReservationOptions::Enforce enforce, JobsRunBy by) {
  if (enforce == ReservationOptions::Enforce::off) return {};
  return judge_enforce(enforce, look_at_enforcement(), by);
}

}  // namespace sluice
