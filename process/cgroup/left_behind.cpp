#include "process/cgroup/left_behind.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "base/folder.h"
#include "base/parse.h"
#include "base/process_table.h"
#include "process/cgroup/controllers.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

constexpr std::string_view kPrefix = "sluice.";
constexpr std::string_view kSelf = "/self";

std::string parent_of(const std::string& folder) { return folder.substr(0, folder.rfind('/')); }

std::string name_of(const std::string& folder) { return folder.substr(folder.rfind('/') + 1); }

/// Whether the group has the structure of a home: job groups and perhaps `self` below it, and no
/// process of its own. Groups that other programs keep under such a name do not.
bool is_built_like_home(const std::string& folder) {
  if (!read_group_file(folder + "/cgroup.procs").empty()) return false;
  const std::vector<std::string> below = groups_below(folder);
  return std::all_of(below.begin(), below.end(), [](const std::string& each) {
    return each.ends_with(kSelf) || name_of(each).starts_with("job.");
  });
}

/// Whether the process has this pid in our pid namespace or in any below it that it belongs to.
bool has_number(pid_t process, std::uint64_t number) {
  const std::string status = read_group_file("/proc/" + std::to_string(process) + "/status");
  const std::size_t at = status.find("\nNSpid:");
  if (at == std::string::npos) return static_cast<std::uint64_t>(process) == number;
  std::string_view line = std::string_view(status).substr(at + 1);
  line = line.substr(0, line.find('\n'));
  while (!line.empty()) {
    if (parse_u64(next_word(line)) == number) return true;
  }
  return false;
}

bool descends_from(pid_t process, std::uint64_t number) {
  constexpr int kMostGenerations = 1000;
  auto facts = read_process(process);
  for (int generation = 0; facts && generation < kMostGenerations; ++generation) {
    // Orphans are reparented to pid 1, whatever their origin.
    if (facts->parent <= 1) return false;
    if (has_number(facts->parent, number)) return true;
    facts = read_process(facts->parent);
  }
  return false;
}

/// Whether a process runs there that must be left alone: one of another pid namespace, or a
/// descendant of the process in the home's name.
bool runs_for_another(const std::string& folder) {
  const std::string name = name_of(folder);
  const auto number = parse_u64(std::string_view(name).substr(kPrefix.size()));
  const std::vector<pid_t> processes = processes_in(folder);
  return std::any_of(processes.begin(), processes.end(), [&](pid_t each) {
    return each == 0 || (number && descends_from(each, *number));
  });
}

bool is_left_behind(const std::string& folder) {
  return is_built_like_home(folder) && !runs_for_another(folder);
}

/// Calls `found` for each home without an owner, and holds its lock meanwhile.
void for_each_left_behind(const std::string& top, int levels,
                          const std::function<void(const std::string&)>& found) {
  if (levels == 0) return;
  for (const std::string& folder : groups_below(top)) {
    if (!is_home_name(name_of(folder))) {
      for_each_left_behind(folder, levels - 1, found);
      continue;
    }
    const Descriptor lock = lock_folder(folder);
    if (lock && is_left_behind(folder)) found(folder);
  }
}

/// `self` stays until the end: it records that controllers have to be disabled.
bool remove_jobs_of(const std::string& folder) {
  bool all = true;
  for (const std::string& job : groups_below(folder)) {
    if (!job.ends_with(kSelf)) all = remove_group(job) && all;
  }
  return all;
}

void end_jobs_in(const std::string& folder) {
  for (const std::string& job : groups_below(folder)) {
    if (job.ends_with(kSelf)) continue;
    freeze_group(job);
    kill_group(job);
    thaw_group(job);
  }
}

}  // namespace

void move_out_of_home(const std::string& folder) {
  switch_controllers(folder, measuring_controllers(folder), '-');
  const std::string above = parent_of(folder);
  if (!is_v2_root(above)) switch_controllers(above, measuring_controllers(above), '-');
  for (const pid_t pid : processes_in(folder + std::string(kSelf))) {
    write_group_file(above + "/cgroup.procs", std::to_string(pid));
  }
}

bool is_home_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const std::string_view pid = name.substr(0, name.find('.'));
  const std::string_view rest = name.substr(pid.size());
  return parse_u64(pid) && (rest.empty() || parse_u64(rest.substr(1)));
}

bool remove_home(const std::string& folder) {
  constexpr int kMostAttempts = 2000;
  const bool took_over = access((folder + std::string(kSelf)).c_str(), F_OK) == 0;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const bool is_empty = remove_jobs_of(folder);
    // After the jobs: a job that made groups itself holds the controllers.
    if (took_over) move_out_of_home(folder);
    if (is_empty && remove_group(folder)) return true;
    end_jobs_in(folder);
    poll(nullptr, 0, 1);
  }
  return false;
}

std::vector<std::string> find_left_behind(const std::string& top, int levels) {
  std::vector<std::string> all;
  for_each_left_behind(top, levels, [&](const std::string& folder) { all.push_back(folder); });
  return all;
}

CleanedUp remove_left_behind(const std::string& top, int levels) {
  CleanedUp all;
  for_each_left_behind(top, levels, [&](const std::string& folder) {
    (remove_home(folder) ? all.removed : all.stuck).push_back(folder);
  });
  return all;
}

}  // namespace sluice
