#include "service/group_home.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sensors/parse.h"
#include "service/group_tree.h"

namespace sluice {
namespace {

constexpr std::string_view kPrefix = "sluice.";

std::string parent_of(const std::string& folder) { return folder.substr(0, folder.rfind('/')); }

bool has_word(const std::string& text, std::string_view word) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = next_line(rest);
    while (!line.empty()) {
      if (next_word(line) == word) return true;
    }
  }
  return false;
}

/// Of the controllers that measure, those the group could give to the groups below it.
std::vector<std::string> wanted_in(const std::string& folder) {
  const std::string offered = read_group_file(folder + "/cgroup.controllers");
  std::vector<std::string> wanted;
  for (const char* controller : {"memory", "io"}) {
    if (has_word(offered, controller)) wanted.emplace_back(controller);
  }
  return wanted;
}

bool gives_all(const std::string& folder, const std::vector<std::string>& wanted) {
  const std::string given = read_group_file(folder + "/cgroup.subtree_control");
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& each) { return has_word(given, each); });
}

int switch_controllers(const std::string& folder, const std::vector<std::string>& names,
                       char sign) {
  std::string text;
  for (const std::string& name : names) text += std::string(1, sign) + name + " ";
  return text.empty() ? 0 : write_group_file(folder + "/cgroup.subtree_control", text);
}

/// The root of a hierarchy is excused from the rule that only leaves hold processes.
bool is_v2_root(const std::string& folder) {
  return access((folder + "/cgroup.type").c_str(), F_OK) != 0;
}

/// The number of a dead process in a name such as "sluice.7"; 0 for every other name.
pid_t dead_owner_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return 0;
  const auto pid = parse_u64(name.substr(kPrefix.size()));
  if (!pid || *pid == 0 || *pid > 1u << 30) return 0;
  const auto owner = static_cast<pid_t>(*pid);
  return kill(owner, 0) != 0 && errno == ESRCH ? owner : 0;
}

/// Groups of dead owners. Those in which processes of another pid namespace run are passed over:
/// there the owner may be alive under another number.
void remove_left_behind(const std::string& own_folder) {
  for (const std::string& folder : groups_below(own_folder)) {
    if (dead_owner_of(folder.substr(folder.rfind('/') + 1)) == 0) continue;
    const std::vector<pid_t> processes = processes_in(folder);
    if (std::find(processes.begin(), processes.end(), 0) == processes.end()) remove_home(folder);
  }
}

/// Back to the group that the home is in, from `self` below it: as far as it may.
void move_out_of(const std::string& folder) {
  const std::string self = folder + "/self";
  const std::vector<pid_t> inside = processes_in(self);
  if (inside.empty()) return;
  const std::string above = parent_of(folder);
  switch_controllers(folder, wanted_in(folder), '-');
  if (!is_v2_root(above)) switch_controllers(above, wanted_in(above), '-');
  for (const pid_t pid : inside) write_group_file(above + "/cgroup.procs", std::to_string(pid));
}

void end_jobs_in(const std::string& folder) {
  for (const std::string& job : groups_below(folder)) {
    if (job.ends_with("/self")) continue;
    freeze_group(job);
    kill_group(job);
    thaw_group(job);
  }
}

/// "cgroup v1 freezer, memory at /sys/fs/cgroup/memory/sluice.7": where the memory is, of several.
std::string text_of(const std::vector<GroupHierarchy>& hierarchies, const std::string& name) {
  if (hierarchies.empty()) return "process groups and /proc: no cgroup could be made: ";
  std::string v1;
  std::string v2;
  std::string folder = hierarchies.front().folder();
  for (const GroupHierarchy& each : hierarchies) {
    if (each.version == CgroupVersion::v2) {
      v2 = "v2";
    } else {
      v1 += (v1.empty() ? "v1 " : ", ") + each.controller;
    }
    if (each.controller == "memory") folder = each.folder();
  }
  const std::string both = v1.empty() || v2.empty() ? "" : " and ";
  return "cgroup " + v1 + both + v2 + " at " + folder + "/" + name;
}

}  // namespace

bool remove_home(const std::string& folder) {
  constexpr int kMostRounds = 2000;
  move_out_of(folder);
  for (int round = 0; round < kMostRounds; ++round) {
    if (remove_group_tree(folder)) return true;
    end_jobs_in(folder);
    poll(nullptr, 0, 1);
  }
  return false;
}

GroupHome::GroupHome(Kind kind) : name_(std::string(kPrefix) + std::to_string(getpid())) {
  FoundHierarchies all = find_hierarchies();
  choose(kind, std::move(all.found));
  settle(std::move(all.problems));
}

GroupHome::~GroupHome() {
  for (const std::string& folder : folders()) remove_home(folder);
}

void GroupHome::choose(Kind kind, std::vector<GroupHierarchy> found) {
  const bool v1_measures = std::any_of(found.begin(), found.end(), [](const GroupHierarchy& each) {
    return each.controller == "memory";
  });
  for (GroupHierarchy& each : found) {
    const bool v2 = each.version == CgroupVersion::v2;
    const bool needed = !v2 || !v1_measures;
    const bool asked = kind == Kind::best ? needed : v2 == (kind == Kind::v2);
    if (asked) hierarchies_.push_back(std::move(each));
  }
}

void GroupHome::settle(std::vector<std::string> problems) {
  std::vector<GroupHierarchy> usable;
  for (GroupHierarchy& hierarchy : hierarchies_) {
    remove_left_behind(hierarchy.folder());
    std::string problem = make_group(hierarchy, name_);
    if (problem.empty()) {
      usable.push_back(std::move(hierarchy));
    } else {
      problems.push_back(std::move(problem));
    }
  }
  hierarchies_ = std::move(usable);
  if (std::string problem = make_room_in_v2(); !problem.empty()) {
    problems.push_back(std::move(problem));
  }
  means_ = text_of(hierarchies_, name_);
  if (!is_usable() && problems.empty()) problems.emplace_back("this host has none");
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (is_usable() || i > 0) means_ += "; ";
    means_ += problems[i];
  }
}

/// Switches on what measures, for the jobs' groups. Empty, or why it could not be.
std::string GroupHome::make_room_in_v2() {
  const auto v2 =
      std::find_if(hierarchies_.begin(), hierarchies_.end(),
                   [](const GroupHierarchy& each) { return each.version == CgroupVersion::v2; });
  if (v2 == hierarchies_.end()) return {};
  const std::string above = v2->folder();
  const std::string home = above + "/" + name_;
  const std::vector<std::string> wanted = wanted_in(above);
  const auto problem = [&](const std::string& why) {
    return "memory and I/O by /proc: " + above + ": " + why;
  };
  if (wanted.empty()) return {};
  if (!gives_all(above, wanted)) {
    if (!is_v2_root(above)) {
      if (processes_in(above).size() != 1) return problem("other processes are in this group too");
      if (!make_group(*v2, name_ + "/self").empty()) return problem("no group may be made");
      write_group_file(home + "/self/cgroup.procs", std::to_string(getpid()));
    }
    if (const int error = switch_controllers(above, wanted, '+'); error != 0) {
      move_out_of(home);
      return problem(std::string("controllers cannot be switched on: ") + std::strerror(error));
    }
  }
  const int error = switch_controllers(home, wanted, '+');
  return error == 0 ? std::string() : problem(std::strerror(error));
}

std::variant<std::unique_ptr<JobGroup>, std::string> GroupHome::make() {
  const std::string name = name_ + "/job." + std::to_string(++last_number_);
  for (const GroupHierarchy& hierarchy : hierarchies_) {
    if (std::string problem = make_group(hierarchy, name); !problem.empty()) return problem;
  }
  return std::make_unique<JobGroup>(hierarchies_, name);
}

std::vector<std::string> GroupHome::folders() const {
  std::vector<std::string> folders;
  for (const GroupHierarchy& each : hierarchies_) {
    folders.push_back(each.folder() + "/" + name_);
  }
  return folders;
}

}  // namespace sluice
