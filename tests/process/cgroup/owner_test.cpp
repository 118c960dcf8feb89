// Ownership of the groups of jobs, with real cgroups, pid namespaces and users: the jobs of a live
// owner survive, and real leftovers are removed.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/folder.h"
#include "own_group.h"
#include "process/cgroup/root.h"
#include "process/cgroup/tree.h"
#include "runner_helpers.h"

namespace sluice::testing {
namespace {

namespace fs = std::filesystem;

CgroupRoot::Kind kind_of(Runner::Groups way) {
  return way == Runner::Groups::v2 ? CgroupRoot::Kind::v2 : CgroupRoot::Kind::v1;
}

/// "sluice.7" from the means that a Runner reports.
std::string home_in(const std::string& means) {
  const std::size_t at = means.rfind("/sluice.");
  if (at == std::string::npos) return "";
  return means.substr(at + 1, means.find_first_not_of("sluice.0123456789", at + 1) - at - 1);
}

void mount_own_proc() {
  mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  if (mount("proc", "/proc", "proc", 0, nullptr) != 0) _exit(77);
}

/// Becomes the child of the first process of a new pid namespace.
void enter_namespace(Lifeline& lifeline) {
  if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(77);
  const pid_t first = fork();
  if (first != 0) {
    lifeline.let_go();
    int status = 0;
    waitpid(first, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  mount_own_proc();
  if (const pid_t second = fork(); second != 0) {
    // Orphans are reparented to this process.
    lifeline.let_go();
    while (true) pause();
  }
}

/// The pid namespace in which something runs.
enum class Where { here, in_a_namespace };

/// A Runner with one job, in a process of its own.
class Owner {
 public:
  Owner(Runner::Groups way, Where where) {
    outer_ = fork();
    if (outer_ == 0) live(way, where);
    lifeline_.let_go();
    home_ = lifeline_.line();
    EXPECT_EQ(lifeline_.line(), "up");
    comes_true([&] { return (owner_ = look_for("sluice-owner")) > 0; });
    comes_true([&] { return (guard_ = look_for("sluice-guard")) > 0; });
  }
  ~Owner() {
    kill(owner_, SIGKILL);
    kill(guard_, SIGCONT);
    EXPECT_TRUE(lifeline_.ends());
    kill(outer_, SIGKILL);
    waitpid(outer_, nullptr, 0);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  const std::string& home() const { return home_; }

  /// Whether its job still runs in the groups of that name.
  bool lives_in(const std::vector<std::string>& tops) const {
    return std::all_of(tops.begin(), tops.end(), [&](const std::string& top) {
      return !processes_in(top + "/" + home_).empty();
    });
  }
  bool is_gone_from(const std::vector<std::string>& tops) const {
    return std::none_of(tops.begin(), tops.end(),
                        [&](const std::string& top) { return fs::exists(top + "/" + home_); });
  }

  void stop_guard() const {
    kill(guard_, SIGSTOP);
    comes_true([&] { return read_process(guard_)->is_stopped(); });
  }
  void kill_guard() const { end(guard_); }
  void kill_owner() const { end(owner_); }

 private:
  [[noreturn]] void live(Runner::Groups way, Where where) {
    if (where == Where::in_a_namespace) enter_namespace(lifeline_);
    prctl(PR_SET_NAME, "sluice-owner");
    Runner runner(way);
    const std::string told = home_in(runner.isolation_description()) + "\n";
    [[maybe_unused]] const auto written = write(lifeline_.writer(), told.data(), told.size());
    Command command = shell("setsid sleep 600 & echo up; wait");
    command.output = lifeline_.writer();
    started(runner, command);
    while (true) pause();
  }

  static void end(pid_t process) {
    kill(process, SIGKILL);
    EXPECT_TRUE(comes_true([&] {
      const auto facts = read_process(process);
      return !facts || !facts->is_alive();
    }));
  }

  /// A descendant of this process, by the name it gave itself.
  pid_t look_for(const std::string& name) const {
    for (const ProcessFacts& each : read_processes()) {
      const std::string called = read_group_file("/proc/" + std::to_string(each.pid) + "/comm");
      if (called == name + "\n" && comes_of_outer(each)) return each.pid;
    }
    return 0;
  }
  bool comes_of_outer(ProcessFacts process) const {
    while (process.pid != outer_) {
      const auto parent = read_process(process.parent);
      if (!parent) return false;
      process = *parent;
    }
    return true;
  }

  Lifeline lifeline_;
  pid_t outer_ = -1, owner_ = 0, guard_ = 0;
  std::string home_;
};

/// Does the work in a process of its own. Returns whether it succeeded.
template <class Work>
bool elsewhere(Where where, Work work) {
  const pid_t outer = fork();
  if (outer == 0) {
    if (where == Where::here) _exit(work() ? 0 : 1);
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(77);
    const pid_t first = fork();
    if (first == 0) {
      mount_own_proc();
      _exit(work() ? 0 : 1);
    }
    int status = 0;
    waitpid(first, &status, 0);
    _exit(status == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(outer, &status, 0);
  return status == 0;
}

/// Starts and ends Sluice.
bool starts(Runner::Groups way) { return CgroupRoot(kind_of(way)).is_usable(); }

class GroupOwner : public ::testing::TestWithParam<Runner::Groups> {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "pid namespaces and users take root";
    const CgroupRoot home(kind_of(GetParam()));
    if (!home.is_usable()) GTEST_SKIP() << home.isolation_description();
    own_group_.emplace(tops(GetParam()));
    tops_ = tops(GetParam());
  }

  std::optional<OwnGroup> own_group_;
  std::vector<std::string> tops_;
};

TEST_P(GroupOwner, IsSparedByOneInTheParentNamespace) {
  const Owner owner(GetParam(), Where::in_a_namespace);
  EXPECT_TRUE(starts(GetParam()));
  EXPECT_TRUE(owner.lives_in(tops_)) << owner.home();
}

TEST_P(GroupOwner, IsSparedByOneInAChildNamespace) {
  const Owner owner(GetParam(), Where::here);
  EXPECT_TRUE(elsewhere(Where::in_a_namespace, [&] { return starts(GetParam()); }));
  EXPECT_TRUE(owner.lives_in(tops_)) << owner.home();
}

TEST_P(GroupOwner, OfTheSameNumberInASiblingNamespaceGetsAHomeOfItsOwn) {
  const Owner one(GetParam(), Where::in_a_namespace);
  const Owner other(GetParam(), Where::in_a_namespace);
  EXPECT_NE(one.home(), other.home());
  EXPECT_TRUE(one.lives_in(tops_)) << one.home();
  EXPECT_TRUE(other.lives_in(tops_)) << other.home();
}

TEST_P(GroupOwner, IsSparedWhileItsGuardIsDead) {
  const Owner owner(GetParam(), Where::in_a_namespace);
  owner.kill_guard();
  EXPECT_TRUE(starts(GetParam()));
  EXPECT_TRUE(owner.lives_in(tops_)) << owner.home();
  owner.kill_owner();
  EXPECT_TRUE(starts(GetParam()));
  EXPECT_TRUE(owner.is_gone_from(tops_)) << owner.home();
}

TEST_P(GroupOwner, IsSparedWhileOnlyItsGuardLives) {
  for (const Where where : {Where::here, Where::in_a_namespace}) {
    const Owner owner(GetParam(), where);
    owner.stop_guard();
    owner.kill_owner();
    EXPECT_TRUE(starts(GetParam()));
    EXPECT_TRUE(owner.lives_in(tops_)) << owner.home();
  }
}

TEST_P(GroupOwner, DeadLikeItsGuardLeavesNothingThatTheNextStartDoesNotRemove) {
  for (const Where where : {Where::here, Where::in_a_namespace}) {
    const Owner owner(GetParam(), where);
    owner.stop_guard();
    owner.kill_owner();
    owner.kill_guard();
    ASSERT_TRUE(owner.lives_in(tops_)) << owner.home();
    EXPECT_TRUE(starts(GetParam()));
    EXPECT_TRUE(owner.is_gone_from(tops_)) << owner.home();
  }
}

/// A process that idles until killed.
pid_t idle_process() {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (true) pause();
}

void end(pid_t process) {
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

TEST_P(GroupOwner, IsNotWhoeverHasItsNumberNow) {
  const pid_t namesake = idle_process();
  const pid_t left = idle_process();
  const std::string name = "/sluice." + std::to_string(namesake);
  for (const std::string& top : tops_) {
    fs::create_directories(top + name + "/job.1");
    ASSERT_EQ(write_group_file(top + name + "/job.1/cgroup.procs", std::to_string(left)), 0);
  }
  EXPECT_TRUE(starts(GetParam()));
  int status = 0;
  ASSERT_EQ(waitpid(left, &status, 0), left);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  for (const std::string& top : tops_) EXPECT_FALSE(fs::exists(top + name)) << top;
  EXPECT_EQ(kill(namesake, 0), 0);
  end(namesake);
}

/// Like a release that does not lock its groups.
TEST_P(GroupOwner, WithoutALockIsSparedWhileItsJobsDescendFromIt) {
  const std::string name = "/sluice." + std::to_string(getpid());
  const pid_t job = idle_process();
  for (const std::string& top : tops_) {
    fs::create_directories(top + name + "/job.1");
    write_group_file(top + name + "/job.1/cgroup.procs", std::to_string(job));
  }
  EXPECT_TRUE(elsewhere(Where::here, [&] { return starts(GetParam()); }));
  EXPECT_EQ(waitpid(job, nullptr, WNOHANG), 0) << "it was killed";
  end(job);
  for (const std::string& top : tops_) EXPECT_TRUE(remove_group(top + name));
}

TEST_P(GroupOwner, IsNotSoughtForAGroupThatAnotherProgramRunsIn) {
  const pid_t process = idle_process();
  const std::string name = "/sluice." + std::to_string(getpid()) + ".4711";
  for (const std::string& top : tops_) {
    fs::create_directory(top + name);
    ASSERT_EQ(write_group_file(top + name + "/cgroup.procs", std::to_string(process)), 0);
  }
  EXPECT_TRUE(starts(GetParam()));
  EXPECT_EQ(waitpid(process, nullptr, WNOHANG), 0) << "it was killed";
  end(process);
  for (const std::string& top : tops_) EXPECT_TRUE(remove_group(top + name)) << top;
}

constexpr uid_t kSomebody = 65533;
constexpr uid_t kSomebodyElse = 65534;

/// Starts and ends Sluice as that user.
bool starts_as(uid_t user, Runner::Groups way) {
  return elsewhere(Where::here, [&] { return setuid(user) == 0 && starts(way); });
}

TEST_P(GroupOwner, OfAnotherUserIsSpared) {
  const OwnGroup shared(tops_);
  const std::vector<std::string> inside = tops(GetParam());
  Lifeline ready, done;
  const pid_t owner = fork();
  if (owner == 0) {
    done.let_go();
    if (setuid(kSomebody) != 0) _exit(77);
    Runner runner(GetParam());
    started(runner, shell("sleep 600"));
    const std::string told = home_in(runner.isolation_description()) + "\n";
    [[maybe_unused]] const auto written = write(ready.writer(), told.data(), told.size());
    done.ends();
    _exit(runner.reap().empty() ? 0 : 1);
  }
  const std::string home = ready.line();
  EXPECT_TRUE(starts_as(kSomebodyElse, GetParam()));
  EXPECT_TRUE(starts(GetParam())) << "as root";
  for (const std::string& top : inside) EXPECT_FALSE(processes_in(top + "/" + home).empty()) << top;
  EXPECT_FALSE(elsewhere(Where::here, [&] {
    return setuid(kSomebodyElse) == 0 && lock_folder(inside.front() + "/" + home);
  })) << "another user could keep a home from being removed";
  done.let_go();
  int status = 0;
  waitpid(owner, &status, 0);
  EXPECT_EQ(status, 0) << "its job was ended";
  EXPECT_TRUE(comes_true([&] { return !fs::exists(inside.front() + "/" + home); }));
}

/// Another user could capture the jobs by creating a group under the name they will have.
TEST_P(GroupOwner, DoesNotTakeAGroupThatAnotherUserHasMade) {
  const OwnGroup shared(tops_);
  const std::vector<std::string> inside = tops(GetParam());
  const bool well = elsewhere(Where::here, [&] {
    const std::string name = "/sluice." + std::to_string(getpid());
    for (const std::string& top : inside) {
      fs::create_directory(top + name);
      if (chown((top + name).c_str(), kSomebodyElse, kSomebodyElse) != 0) return false;
      fs::permissions(top + name, fs::perms::owner_all);
    }
    if (setuid(kSomebody) != 0) return false;
    const CgroupRoot home(kind_of(GetParam()));
    return home.is_usable() && home.folders().front().ends_with(name + ".2");
  });
  EXPECT_TRUE(well);
}

INSTANTIATE_TEST_SUITE_P(Held, GroupOwner,
                         ::testing::Values(Runner::Groups::v1, Runner::Groups::v2), name_of_way);

TEST(FolderLock, IsHeldUntilTheLastProcessThatHasItEnds) {
  const fs::path folder = fs::temp_directory_path() / ("sluice-lock-" + std::to_string(getpid()));
  fs::create_directory(folder);
  auto lock = lock_folder(folder);
  ASSERT_TRUE(lock);
  EXPECT_FALSE(lock_folder(folder));
  const pid_t heir = idle_process();
  lock.reset();
  EXPECT_FALSE(lock_folder(folder)) << "the heir has it";
  end(heir);
  EXPECT_TRUE(lock_folder(folder));
  fs::remove(folder);
  EXPECT_FALSE(lock_folder(folder)) << "there is no such folder";
}

}  // namespace
}  // namespace sluice::testing
