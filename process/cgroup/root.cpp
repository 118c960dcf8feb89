#include "process/cgroup/root.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/errno_text.h"
#include "base/folder.h"
#include "base/mapped.h"
#include "base/suggest.h"
#include "process/cgroup/controllers.h"
#include "process/cgroup/left_behind.h"
#include "process/cgroup/tree.h"

namespace sluice {
namespace {

/// Not readable by other users, who could otherwise take the lock before the owner does.
constexpr mode_t kHomeMode = 0711;

/// The result of making a home: its lock, a name that is taken, or a problem.
struct Claim {
  Descriptor lock;
  std::string problem;

  bool is_taken() const { return !lock && problem.empty(); }
};

Claim claim(const std::string& folder) {
  Claim made;
  if (mkdir(folder.c_str(), kHomeMode) == 0) {
    made.lock = lock_folder(folder);
    if (!made.lock) rmdir(folder.c_str());
  } else if (errno != EEXIST) {
    made.problem = errno_text(folder);
  }
  return made;
}

/// Removes leftover homes right below this process's group. Under v2 also one level deeper and
/// below the parent group: a home left behind keeps every process out of the group that contains
/// it, which only a process outside that group can repair.
void clear_around(const GroupHierarchy& hierarchy) {
  if (hierarchy.version == CgroupVersion::v1) {
    remove_left_behind(hierarchy.folder(), 1);
    return;
  }
  remove_left_behind(hierarchy.folder(), 2);
  const std::string above = hierarchy.path.substr(0, hierarchy.path.rfind('/'));
  if (!hierarchy.path.empty()) remove_left_behind(hierarchy.mount + above, 2);
}

/// "cgroup v1 freezer, memory at /sys/fs/cgroup/memory/sluice.7": the folder of the memory
/// controller if there are several.
std::string hierarchies_text(const std::vector<GroupHierarchy>& hierarchies,
                             const std::string& name) {
  if (hierarchies.empty()) return "process groups and /proc: no cgroup could be created: ";
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

CgroupRoot::CgroupRoot(Kind kind) {
  FoundHierarchies all = find_hierarchies();
  choose(kind, std::move(all.found));
  settle(std::move(all.problems));
}

CgroupRoot::~CgroupRoot() {
  for (const std::string& folder : folders()) remove_home(folder);
}

void CgroupRoot::choose(Kind kind, std::vector<GroupHierarchy> found) {
  const bool v1_measures =
      std::ranges::find(found, "memory", &GroupHierarchy::controller) != found.end();
  for (GroupHierarchy& each : found) {
    const bool v2 = each.version == CgroupVersion::v2;
    const bool needed = !v2 || !v1_measures;
    const bool asked = kind == Kind::best ? needed : v2 == (kind == Kind::v2);
    if (asked) hierarchies_.push_back(std::move(each));
  }
}

/// Takes the name in every hierarchy that permits it; false if the name is taken in one of them.
bool CgroupRoot::take_name(std::vector<std::string>& problems) {
  std::vector<GroupHierarchy> usable;
  std::vector<Descriptor> locks;
  std::vector<std::string> failures;
  for (const GroupHierarchy& hierarchy : hierarchies_) {
    Claim made = claim(hierarchy.folder() + "/" + name_);
    if (made.is_taken()) {
      for (const GroupHierarchy& each : usable) remove_group(each.folder() + "/" + name_);
      return false;
    }
    if (!made.lock) {
      failures.push_back(std::move(made.problem));
      continue;
    }
    usable.push_back(hierarchy);
    locks.push_back(std::move(made.lock));
  }
  hierarchies_ = std::move(usable);
  locks_ = std::move(locks);
  std::move(failures.begin(), failures.end(), std::back_inserter(problems));
  return true;
}

/// A process of another pid namespace may have the same pid, and anyone may have made a group of
/// that name.
void CgroupRoot::take_some_name(std::vector<std::string>& problems) {
  constexpr int kMostNames = 64;
  const std::string first = "sluice." + std::to_string(getpid());
  for (int number = 1; number <= kMostNames; ++number) {
    name_ = number == 1 ? first : first + "." + std::to_string(number);
    if (take_name(problems)) return;
  }
  hierarchies_.clear();
  problems.push_back("groups from " + first + " to " + name_ + " exist but cannot be locked");
}

void CgroupRoot::settle(std::vector<std::string> problems) {
  for (const GroupHierarchy& hierarchy : hierarchies_) clear_around(hierarchy);
  take_some_name(problems);
  if (std::string problem = make_room_in_v2(); !problem.empty()) {
    problems.push_back(std::move(problem));
  }
  isolation_description_ = hierarchies_text(hierarchies_, name_);
  if (!is_usable() && problems.empty()) problems.emplace_back("this host has none");
  if (is_usable() && !problems.empty()) isolation_description_ += "; ";
  isolation_description_ += join_words(problems, "; ");
}

/// Enables the measuring controllers for the jobs' groups. Returns "" or the reason for the
/// failure.
std::string CgroupRoot::make_room_in_v2() {
  const auto v2 = std::ranges::find(hierarchies_, CgroupVersion::v2, &GroupHierarchy::version);
  if (v2 == hierarchies_.end()) return {};
  const std::string above = v2->folder();
  const std::string home = above + "/" + name_;
  const std::vector<std::string> wanted = measuring_controllers(above);
  const auto problem = [&](const std::string& why) {
    return "memory and I/O from /proc: " + above + ": " + why;
  };
  if (wanted.empty()) return {};
  if (!has_enabled_all(above, wanted)) {
    if (!is_v2_root(above)) {
      if (processes_in(above).size() != 1) return problem("other processes are in this group too");
      if (!make_group(*v2, name_ + "/self").empty()) return problem("cannot create a group");
      write_group_file(home + "/self/cgroup.procs", std::to_string(getpid()));
    }
    if (const int error = switch_controllers(above, wanted, '+'); error != 0) {
      move_out_of_home(home);
      return problem(errno_text("cannot enable controllers", error));
    }
  }
  const int error = switch_controllers(home, wanted, '+');
  return error == 0 ? std::string() : problem(std::strerror(error));
}

std::variant<std::unique_ptr<JobGroup>, std::string> CgroupRoot::make() {
  const std::string name = name_ + "/job." + std::to_string(++last_number_);
  for (const GroupHierarchy& hierarchy : hierarchies_) {
    if (std::string problem = make_group(hierarchy, name); !problem.empty()) return problem;
  }
  return std::make_unique<JobGroup>(hierarchies_, name);
}

std::vector<int> CgroupRoot::locks() const { return mapped(locks_, &Descriptor::get); }

std::vector<std::string> CgroupRoot::folders() const {
  return mapped(hierarchies_, [this](auto& each) { return each.folder() + "/" + name_; });
}

}  // namespace sluice
