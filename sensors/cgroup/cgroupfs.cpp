#include "sensors/cgroup/cgroupfs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/parse.h"
#include "base/text.h"
#include "sensors/cgroup/executor_group.h"
#include "sensors/cgroup/held_folder.h"

namespace sluice {
namespace {

/// A busy node has thousands of mounts; the text is discarded at once.
constexpr std::size_t kMostMountinfo = std::size_t{8} << 20;

/// The cgroup's path below a mount of `root`; nullopt if the mount does not show it.
std::optional<std::string> below(std::string_view path, std::string_view root) {
  if (path.starts_with("/..") || root.starts_with("/..")) return std::nullopt;
  if (root == "/") return std::string(path);
  if (path == root) return "/";
  if (!path.starts_with(root) || path[root.size()] != '/') return std::nullopt;
  return std::string(path.substr(root.size()));
}

CgroupFinding find_place(CgroupVersion version, const CgroupLine& line,
                         const std::vector<const Mount*>& mounts) {
  CgroupFinding finding;
  std::size_t shortest = SIZE_MAX;
  for (const Mount* mount : mounts) {
    auto path = below(line.path, mount->root);
    if (!path || mount->root.size() >= shortest) continue;
    shortest = mount->root.size();
    finding.place = CgroupPlace{version, mount->point, std::move(*path), nullptr, 0};
  }
  if (!finding.place) {
    finding.problem = "cgroup " + printable(line.path) + " is not below any mount seen here";
  }
  return finding;
}

CgroupFinding find_unified(const std::vector<CgroupLine>& lines, const std::vector<Mount>& mounts) {
  std::vector<const Mount*> candidates;
  for (const Mount& mount : mounts) {
    if (mount.type == "cgroup2") candidates.push_back(&mount);
  }
  for (const CgroupLine& line : lines) {
    if (line.hierarchy != 0 || candidates.empty()) continue;
    return find_place(CgroupVersion::v2, line, candidates);
  }
  return {};
}

CgroupFinding find_controller(const std::vector<CgroupLine>& lines,
                              const std::vector<Mount>& mounts, std::string_view controller) {
  if (mounts.empty()) return {};
  std::vector<const Mount*> candidates;
  for (const Mount& mount : mounts) {
    if (mount.type == "cgroup" && has_item(mount.options, controller)) candidates.push_back(&mount);
  }
  for (const CgroupLine& line : lines) {
    const auto& names = line.controllers;
    if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
    return find_place(CgroupVersion::v1, line, candidates);
  }
  return find_unified(lines, mounts);
}

CgroupPlaces all_with(const CgroupFinding& finding) {
  return {finding, finding, finding, finding, finding, finding, finding};
}

Result<std::optional<double>> cpus(std::optional<std::uint64_t> quota,
                                   std::optional<std::uint64_t> period) {
  if (!quota || !period || *quota == 0 || *period == 0) return ReadFailure{"not a CPU quota"};
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

Result<std::optional<double>> quota_in(const HostPaths& paths, CgroupVersion version,
                                       const std::string& folder) {
  const std::string base = paths.at(folder);
  const auto text =
      read_once(base + (version == CgroupVersion::v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  if (!value_in(text)) return failure_in(text);
  if (version == CgroupVersion::v2) return parse_cpu_max(*value_in(text));
  const auto period = read_once(base + "/cpu.cfs_period_us");
  if (!value_in(period)) return failure_in(period);
  return parse_cfs_quota(*value_in(text), *value_in(period));
}

}  // namespace

Result<std::vector<Mount>> read_cgroup_mounts(const HostPaths& paths, const std::string& process) {
  return read_parsed(paths.at("/proc/" + process + "/mountinfo"), parse_cgroup_mounts,
                     kMostMountinfo);
}

CgroupPlaces find_cgroups(const std::vector<CgroupLine>& lines, const std::vector<Mount>& mounts) {
  const auto find = [&](std::string_view controller) {
    return find_controller(lines, mounts, controller);
  };
  return {.memory = find("memory"),
          .cpu = find("cpu"),
          .cpuacct = find("cpuacct"),
          .pids = find("pids"),
          .blkio = find("blkio"),
          .freezer = find("freezer"),
          .unified = find_unified(lines, mounts)};
}

CgroupPlaces find_cgroups(const HostPaths& paths) {
  if (paths.executor) return paths.executor->places;
  KeptFile proc_cgroup(paths.at("/proc/" + paths.process + "/cgroup"));
  const auto lines = read_parsed(proc_cgroup, parse_proc_cgroup);
  if (proc_cgroup.is_absent()) return {};
  if (!value_in(lines)) return all_with({std::nullopt, failure_in(lines).what});
  const auto mounts = read_cgroup_mounts(paths);
  if (!value_in(mounts)) return all_with({std::nullopt, failure_in(mounts).what});
  return find_cgroups(*value_in(lines), *value_in(mounts));
}

std::string CgroupPlace::called(const std::string& folder) const {
  if (!held) return printable(folder);
  return mount + folder.substr(held->place().size());
}

std::vector<std::string> folders_of(const CgroupPlace& place) {
  std::vector<std::string> folders;
  if (place.held) {
    folders.push_back(place.held->place());
    for (int above = 0; above < place.above; ++above) folders.push_back(folders.back() + "/..");
    return folders;
  }
  std::string path = place.path == "/" ? "" : place.path;
  while (!path.empty()) {
    folders.push_back(place.mount + path);
    path.resize(path.rfind('/'));
  }
  folders.push_back(place.mount);
  return folders;
}

Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupPlace& place,
                                              std::string_view file) {
  std::vector<std::string> folders = folders_of(place);
  if (::access(paths.at(folders.front()).c_str(), F_OK) != 0) {
    return ReadFailure{place.called(folders.front()) + ": " + error_text(errno)};
  }
  // Only a missing file means that the controller is disabled; an unreadable one is kept, so that
  // reading it reports the error.
  std::erase_if(folders, [&](const std::string& folder) {
    const std::string path = paths.at(folder) + "/" + std::string(file);
    return ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
  });
  return folders;
}

Result<std::vector<std::string>> folders_with(const HostPaths& paths, const CgroupFinding& finding,
                                              std::string_view file) {
  if (!finding.problem.empty()) return ReadFailure{finding.problem};
  if (!finding.place) return std::vector<std::string>{};
  return folders_with(paths, *finding.place, file);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const auto number = parse_u64(trimmed(text));
  if (!number) return ReadFailure{"not a number: '" + printable(trimmed(text), 40) + "'"};
  return *number;
}

Result<std::optional<std::uint64_t>> parse_limit(std::string_view text) {
  if (trimmed(text) == "max") return std::optional<std::uint64_t>();
  const auto count = parse_count(text);
  if (!value_in(count)) return failure_in(count);
  return std::optional(*value_in(count));
}

Result<std::optional<double>> parse_cpu_max(std::string_view text) {
  std::string_view line = next_line(text);
  const std::string_view quota = next_word(line);
  const auto period = parse_u64(next_word(line));
  if (quota == "max" && period) return std::optional<double>();
  return cpus(parse_u64(quota), period);
}

Result<std::optional<double>> parse_cfs_quota(std::string_view quota, std::string_view period) {
  if (trimmed(quota) == "-1") return std::optional<double>();
  return cpus(parse_u64(trimmed(quota)), parse_u64(trimmed(period)));
}

std::optional<ThrottleCounts> parse_throttle_counts(std::string_view text) {
  const auto periods = number_of(text, "nr_periods");
  const auto throttled = number_of(text, "nr_throttled");
  if (!periods || !throttled) return std::nullopt;
  return ThrottleCounts{*periods, *throttled};
}

std::optional<Duration> CpuQuota::used_in(std::string_view text) const {
  const bool is_v2 = version == CgroupVersion::v2;
  const auto count = is_v2 ? number_of(text, "usage_usec") : parse_u64(trimmed(text));
  const std::uint64_t unit = is_v2 ? 1000 : 1;
  if (!count || *count > INT64_MAX / unit) return std::nullopt;
  return Duration(static_cast<Duration::rep>(*count * unit));
}

std::vector<CpuQuota> find_quotas(const HostPaths& paths, const CgroupPlaces& places) {
  if (!places.cpu.place) return {};
  const CgroupPlace& place = *places.cpu.place;
  const bool is_v2 = place.version == CgroupVersion::v2;
  // v1 counts in a hierarchy of its own, which is often mounted together with `cpu`.
  const auto& counted = is_v2 ? places.cpu.place : places.cpuacct.place;
  if (!counted) return {};
  const std::vector<std::string> folders = folders_of(place), counting = folders_of(*counted);
  std::vector<CpuQuota> quotas;
  for (std::size_t i = 0; i < folders.size() && i < counting.size(); ++i) {
    const auto quota = quota_in(paths, place.version, folders[i]);
    if (!value_in(quota) || !*value_in(quota)) continue;
    quotas.push_back({place.called(folders[i]), **value_in(quota),
                      counting[i] + (is_v2 ? "/cpu.stat" : "/cpuacct.usage"), place.version});
  }
  return quotas;
}

Result<std::optional<double>> find_quota(const HostPaths& paths, const CgroupPlaces& places) {
  if (paths.executor && paths.executor->folders.empty()) return paths.executor->cpus;
  if (!places.cpu.problem.empty()) return ReadFailure{places.cpu.problem};
  if (!places.cpu.place) return std::optional<double>();
  const CgroupPlace& place = *places.cpu.place;
  const bool is_v2 = place.version == CgroupVersion::v2;
  const auto folders = folders_with(paths, place, is_v2 ? "cpu.max" : "cpu.cfs_quota_us");
  if (!value_in(folders)) return failure_in(folders);
  std::optional<double> least;
  for (const std::string& folder : *value_in(folders)) {
    const auto quota = quota_in(paths, place.version, folder);
    if (!value_in(quota)) return about(place.called(folder), failure_in(quota));
    const std::optional<double>& here = *value_in(quota);
    if (here && (!least || *here < *least)) least = here;
  }
  return least;
}

}  // namespace sluice
