#include "service/jobs/permit_witness.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "base/process_table.h"
#include "process/cgroup/left_behind.h"
#include "service/jobs/permit_tokens.h"

namespace sluice {
namespace {

constexpr std::string_view kJob = "job.";

/// Where the name that starts at `begin` ends.
std::size_t end_of_name(std::string_view path, std::size_t begin) {
  return std::min(path.find('/', begin), path.size());
}

/// Parses one line: "4:memory:/a/sluice.7/job.1/x".
std::string_view job_group_in_line(std::string_view line) {
  std::string_view group;
  std::string_view above;
  for (std::size_t slash = line.find('/'); slash < line.size();) {
    const std::size_t end = end_of_name(line, slash + 1);
    const std::string_view name = line.substr(slash + 1, end - slash - 1);
    if (is_home_name(above) && name.starts_with(kJob)) group = line.substr(0, end);
    above = name;
    slash = end;
  }
  return group;
}

std::optional<PermitWitness> witness(pid_t process) {
  std::string token = variable_of(process, kPermitVariable);
  struct stat facts {};
  const std::string folder = "/proc/" + std::to_string(process);
  if (token.empty() || stat(folder.c_str(), &facts) != 0) return std::nullopt;
  return PermitWitness{std::move(token), facts.st_uid};
}

std::vector<PermitWitness> witnesses_among(const std::vector<pid_t>& processes) {
  std::vector<PermitWitness> all;
  for (const pid_t process : processes) {
    if (auto found = witness(process)) all.push_back(*std::move(found));
  }
  return all;
}

std::vector<PermitWitness> witnesses_beside(pid_t process) {
  const std::string group = job_group_in(read_groups(process));
  if (group.empty()) return {};
  std::vector<pid_t> beside;
  for (const ProcessFacts& each : read_processes()) {
    if (job_group_in(read_groups(each.pid)) == group) beside.push_back(each.pid);
  }
  return witnesses_among(beside);
}

}  // namespace

std::string job_group_in(std::string_view cgroups) {
  while (!cgroups.empty()) {
    const std::size_t end = std::min(cgroups.find('\n'), cgroups.size());
    const std::string_view group = job_group_in_line(cgroups.substr(0, end));
    if (!group.empty()) return std::string(group);
    cgroups.remove_prefix(std::min(end + 1, cgroups.size()));
  }
  return "";
}

PermitWitnesses witnesses_of_this_host() {
  return {[](pid_t process) { return witnesses_among(ancestors_of(process)); }, witnesses_beside};
}

}  // namespace sluice
