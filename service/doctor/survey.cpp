#include "service/doctor/survey.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>

#include "base/descriptors.h"
#include "base/errno_text.h"
#include "base/folder.h"
#include "base/mapped.h"
#include "base/process_table.h"
#include "base/socket_places.h"
#include "base/sqlite/sqlite.h"
#include "base/state_file.h"
#include "base/state_schema.h"
#include "base/text.h"
#include "process/cgroup/controllers.h"
#include "process/cgroup/hierarchy.h"
#include "process/cgroup/tree.h"
#include "sensors/cgroup/memory.h"
#include "sensors/host.h"

namespace sluice {
namespace {

/// Bounds the walk; groups are never nested that deep.
constexpr int kDeepestGroup = 32;

bool is_read_only(const std::string& folder) {
  struct statvfs facts {};
  return statvfs(folder.c_str(), &facts) == 0 && (facts.f_flag & ST_RDONLY) != 0;
}

OwnGroup look_at(const GroupHierarchy& hierarchy) {
  OwnGroup group;
  group.folder = hierarchy.folder();
  group.is_v2 = hierarchy.version == CgroupVersion::v2;
  group.name = group.is_v2 ? "v2" : hierarchy.controller;
  group.is_writable = access(group.folder.c_str(), W_OK) == 0 && !is_read_only(group.folder);
  if (!group.is_v2) return group;
  group.is_root = is_v2_root(group.folder);
  const std::string processes = read_group_file(group.folder + "/cgroup.procs");
  const auto lines = std::count(processes.begin(), processes.end(), '\n');
  group.other_processes = static_cast<std::size_t>(std::max<std::ptrdiff_t>(lines - 1, 0));
  const std::vector<std::string> wanted = measuring_controllers(group.folder);
  for (const char* each : {"memory", "io"}) {
    if (std::ranges::find(wanted, each) == wanted.end()) group.lacking.emplace_back(each);
  }
  group.switches_on = !wanted.empty() && has_enabled_all(group.folder, wanted);
  return group;
}

/// The hierarchies in which the groups of jobs are created, as CgroupRoot chooses them.
std::vector<GroupHierarchy> used_of(std::vector<GroupHierarchy> found) {
  if (std::ranges::any_of(found, [](auto& each) { return each.controller == "memory"; })) {
    std::erase_if(found, [](auto& each) { return each.version == CgroupVersion::v2; });
  }
  return found;
}

std::vector<std::string> tops_of(const std::vector<GroupHierarchy>& hierarchies) {
  return mapped(hierarchies, &GroupHierarchy::mount);
}

/// Whether a daemon answers; links are not followed.
SocketPlace::State state_of(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0) return SocketPlace::State::absent;
  if (!S_ISSOCK(facts.st_mode)) return SocketPlace::State::irregular;
  const int error = try_socket(path);
  if (error == ENAMETOOLONG) return SocketPlace::State::irregular;
  if (error == 0) return SocketPlace::State::served;
  return error == EACCES ? SocketPlace::State::denied : SocketPlace::State::stale;
}

/// The group to join for the use of a socket; empty if there is none. Users should not join root's,
/// which gives more than a socket.
std::string group_of(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0 || (facts.st_mode & S_IWGRP) == 0) return "";
  if (facts.st_gid == 0) return "";
  const group* const entry = getgrgid(facts.st_gid);
  return entry ? entry->gr_name : std::to_string(facts.st_gid);
}

bool may(const std::string& path, int mode) {
  return faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
}

/// The folder, or where it would be made, or a file in it, if this user may not write there, with
/// the reason; else empty.
std::string closed_in(const std::string& folder) {
  std::filesystem::path there = std::filesystem::absolute(folder);
  while (!may(there, F_OK) && errno == ENOENT && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (!may(there, W_OK | X_OK)) return errno_text(there);
  for (const char* name : {"/history.db", "/jobs.db"}) {
    const std::string file = folder + name;
    if (!may(file, R_OK | W_OK) && errno != ENOENT) return errno_text(file);
  }
  return "";
}

/// The beginning of a regular file; empty if it cannot be read, which `closed_in` is about.
std::string head_of(const std::string& path) {
  constexpr std::size_t kHead = 100;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string head(kHead, '\0');
  const ssize_t size = file ? read(file.get(), head.data(), kHead) : 0;
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return head;
}

std::uint32_t byte_at(const std::string& head, std::size_t at) {
  return static_cast<unsigned char>(head[at]);
}

/// The version that is in force by the log of an SQLite database; nullopt if it has none.
std::optional<std::uint32_t> schema_by_log(const std::string& path) {
  // Without these files, opening it would create them.
  if (!may(path + "-wal", R_OK) || !may(path + "-shm", R_OK)) return std::nullopt;
  try {
    SqliteDatabase database(path, SqliteDatabase::Access::watched);
    return static_cast<std::uint32_t>(database.user_version());
  } catch (const SqliteError&) {
    return std::nullopt;
  }
}

/// Of an SQLite database, big-endian; 0 if it is none. Source:
/// https://www.sqlite.org/fileformat2.html#user_version_number
std::uint32_t schema_of(const std::string& path) {
  if (const auto version = schema_by_log(path)) return *version;
  constexpr std::size_t kVersionAt = 60;
  const std::string head = head_of(path);
  if (!head.starts_with("SQLite format 3") || head.size() < kVersionAt + 4) return 0;
  return byte_at(head, kVersionAt) << 24 | byte_at(head, kVersionAt + 1) << 16 |
         byte_at(head, kVersionAt + 2) << 8 | byte_at(head, kVersionAt + 3);
}

/// Of a segment of a record, little-endian; 0 if it is none.
std::uint32_t format_of(const std::string& path) {
  const std::string head = head_of(path);
  const std::size_t at = std::string_view(kRecordMagic).size();
  if (!head.starts_with(kRecordMagic) || head.size() < at + 4) return 0;
  return byte_at(head, at) | byte_at(head, at + 1) << 8 | byte_at(head, at + 2) << 16 |
         byte_at(head, at + 3) << 24;
}

/// The segment with the highest version.
NewerFile newest_segment(const std::string& folder) {
  NewerFile newest{NewerFile::Kind::record, folder, 0, kRecordFormat};
  for (const std::string& name : names_in_folder(folder)) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (path.extension() != ".srec") continue;
    const std::uint32_t version = format_of(path);
    if (version > newest.version) newest = {newest.kind, path, version, newest.known};
  }
  return newest;
}

std::vector<NewerFile> newer_in(const std::string& folder) {
  using Kind = NewerFile::Kind;
  std::vector<NewerFile> files{
      {Kind::jobs, folder + "/jobs.db", schema_of(folder + "/jobs.db"), kJobsSchema},
      {Kind::history, folder + "/history.db", schema_of(folder + "/history.db"), kHistorySchema},
      newest_segment(folder + "/record")};
  std::erase_if(files, [](const NewerFile& each) { return each.version <= each.known; });
  return files;
}

/// Databases that Sluice found broken and replaced, without the logs beside them, by name.
std::vector<std::string> moved_aside_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const std::string& name : names_in_folder(folder)) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    const std::string extension = path.extension();
    const bool is_log = extension.ends_with("-wal") || extension.ends_with("-shm");
    if (extension.starts_with(".broken-") && !is_log) found.push_back(path);
  }
  return found;
}

/// Creates neither the folder nor anything in it.
StatePlace look_at_state(const std::string& folder) {
  StatePlace place{folder, {}};
  std::error_code ignored;
  if (std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored)) {
    place.problem = folder + " is not a folder";
    return place;
  }
  for (const char* name : {"/history.db", "/jobs.db"}) {
    try {
      refuse_irregular(folder + name);
    } catch (const std::runtime_error& problem) {
      place.problem = problem.what();
    }
  }
  if (!place.problem.empty()) return place;
  place.closed = closed_in(folder);
  place.newer = newer_in(folder);
  place.moved_aside = moved_aside_in(folder);
  return place;
}

std::vector<std::string> folders_above(const HostFacts& host, std::string_view file) {
  const CgroupFinding& memory = host.cgroups.memory;
  const auto folders = folders_with(HostPaths{}, memory, file);
  return value_in(folders) ? *value_in(folders) : std::vector<std::string>{};
}

void look_at_swap(const HostFacts& host, HostSurvey& survey) {
  survey.swap = read_host_swap();
  for (const std::string& folder : folders_above(host, "memory.swap.max")) {
    if (read_group_file(folder + "/memory.swap.max") == "0\n") {
      survey.no_swap_file = folder + "/memory.swap.max";
    }
  }
}

void look_at_limits(const HostFacts& host, HostSurvey& survey) {
  const auto memory = CgroupMemory(HostPaths{}, host.memory_total).read(Clock::now());
  if (const auto* snapshot = value_in(memory)) {
    survey.accounts_memory = !snapshot->levels.empty();
    for (const MemoryLevel& level : snapshot->levels) {
      if (!level.limit) continue;
      survey.limits.push_back({"memory " + bytes_text(*level.limit),
                               level.where + "/" + std::string(level.limited_by)});
    }
  } else {
    survey.unreadable.push_back(failure_in(memory).what);
  }
  if (host.cpu_quota) {
    survey.limits.push_back({cpus_text(*host.cpu_quota), "the cgroup's CPU quota"});
  }
  if (host.cpus_allowed && *host.cpus_allowed < host.cpus_online) {
    survey.limits.push_back({cpus_text(*host.cpus_allowed), "affinity or cpuset"});
  }
  const auto folders = folders_with(HostPaths{}, host.cgroups.pids, "pids.max");
  if (!value_in(folders)) return;
  for (const std::string& folder : *value_in(folders)) {
    const auto limit = parse_limit(read_group_file(folder + "/pids.max"));
    if (!value_in(limit) || !*value_in(limit)) continue;
    survey.limits.push_back({count_text(**value_in(limit), "task"), folder + "/pids.max"});
  }
}

/// Of this process: the limit to which a daemon raises its own.
std::uint64_t most_files() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_max;
}

}  // namespace

HostSurvey survey_host(const std::string& socket, const std::optional<std::string>& state_folder) {
  HostSurvey survey;
  const HostFacts host = read_host_facts({});
  survey.unreadable = host.problems;
  FoundHierarchies all = find_hierarchies();
  survey.group_problems = std::move(all.problems);
  for (const std::string& top : tops_of(all.found)) {
    for (std::string& each : find_left_behind(top, kDeepestGroup)) {
      survey.left_behind.push_back(std::move(each));
    }
  }
  for (const GroupHierarchy& each : used_of(std::move(all.found))) {
    survey.groups.push_back(look_at(each));
  }
  survey.measures_cpu = host.measures_cpu_pressure;
  survey.measures_memory = host.measures_memory_pressure;
  survey.measures_io = host.measures_io_pressure;
  look_at_swap(host, survey);
  for (const std::string& folder : folders_above(host, "memory.oom.group")) {
    if (read_group_file(folder + "/memory.oom.group") == "1\n") survey.oom_groups.push_back(folder);
  }
  look_at_limits(host, survey);
  survey.most_files = most_files();
  for (const std::string& path : client_places(socket)) {
    survey.sockets.push_back({path, state_of(path)});
    SocketPlace& place = survey.sockets.back();
    if (place.state == SocketPlace::State::denied) place.group = group_of(path);
    // A lock file without a socket also makes clients wait for the daemon.
    const std::string lock = path + ".lock";
    const bool is_absent = place.state == SocketPlace::State::absent;
    if (is_absent && access(lock.c_str(), F_OK) == 0) place = {lock, SocketPlace::State::stale};
  }
  if (state_folder) survey.state = look_at_state(*state_folder);
  survey.sees_all_processes = read_process(1).has_value();
  return survey;
}

HostSurvey survey_memory() {
  HostSurvey survey;
  std::vector<GroupHierarchy> found = find_hierarchies().found;
  for (const GroupHierarchy& each : found) {
    if (each.version == CgroupVersion::v2) survey.v2_tops.push_back(each.mount);
  }
  for (const GroupHierarchy& each : used_of(std::move(found))) {
    survey.groups.push_back(look_at(each));
  }
  look_at_swap(read_host_facts({}), survey);
  return survey;
}

HostSurvey survey_own_groups() {
  HostSurvey survey;
  const HostFacts host = read_host_facts({});
  for (const GroupHierarchy& each : used_of(find_hierarchies().found)) {
    survey.groups.push_back(look_at(each));
    // Other processes in the group do not matter to a daemon, whose clients start the jobs.
    survey.groups.back().other_processes = 0;
  }
  look_at_limits(host, survey);
  return survey;
}

CleanedUp clean_host() {
  CleanedUp all;
  for (const std::string& top : tops_of(find_hierarchies().found)) {
    CleanedUp here = remove_left_behind(top, kDeepestGroup);
    for (std::string& each : here.removed) all.removed.push_back(std::move(each));
    for (std::string& each : here.stuck) all.stuck.push_back(std::move(each));
  }
  return all;
}

}  // namespace sluice
