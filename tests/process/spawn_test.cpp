#include "process/child/spawn.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/descriptors.h"
#include "base/process_table.h"
#include "contents.h"
#include "few_descriptors.h"
#include "fixture.h"
#include "process/child/signals.h"

namespace sluice::testing {
namespace {

class Spawn : public ::testing::Test {
 protected:
  Spawn() {
    spawning.place = Spawning::Place::in_place;
    sigprocmask(SIG_SETMASK, nullptr, &spawning.mask);
    spawning.death_signal = 0;
    spawning.argv = {"touch", ran};
  }

  TemporaryFolder folder;
  const std::string ran = folder.path("ran");
  Spawning spawning;
};

TEST_F(Spawn, ExecutesTheCommandOnceItsParentHasPrepared) {
  std::optional<pid_t> prepared_for;
  spawning.before_exec = [&](pid_t process) {
    prepared_for = process;
    const auto child = read_process(process);
    ASSERT_TRUE(child);
    EXPECT_EQ(child->parent, getpid());
    EXPECT_EQ(contents_of("/proc/" + std::to_string(process) + "/cmdline"),
              contents_of("/proc/self/cmdline"));
  };
  const Spawned spawned = spawn(spawning);
  ASSERT_GT(spawned.pid, 0) << spawned.reason;
  EXPECT_EQ(prepared_for, spawned.pid);
  int status = -1;
  EXPECT_EQ(waitpid(spawned.pid, &status, 0), spawned.pid);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(ran));
}

/// As docker's filter before 20.10.10 did.
bool forbid_clone3() {
  std::array<sock_filter, 4> code{};
  code[0] = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
  code[1] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
  code[2] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  code[3] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const sock_fprog program{code.size(), code.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(Spawn, ExecutesAPreparedCommandAlsoWhereClone3IsForbidden) {
  spawning.before_exec = [](pid_t) {};
  const pid_t forbidden = fork();
  if (forbidden == 0) {
    if (!forbid_clone3()) _exit(77);
    const Spawned spawned = spawn(spawning);
    int status = -1;
    const bool has_run = spawned.pid > 0 && waitpid(spawned.pid, &status, 0) == spawned.pid;
    _exit(has_run && status == 0 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(forbidden, &status, 0), forbidden);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "a filter cannot be set";
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(ran));
}

TEST_F(Spawn, SaysAlsoOfAPreparedCommandWhyItDoesNotStart) {
  spawning.argv = {folder.path("missing")};
  spawning.before_exec = [](pid_t) {};
  const Spawned spawned = spawn(spawning);
  EXPECT_EQ(spawned.pid, 0);
  EXPECT_EQ(spawned.error, ENOENT);
}

TEST_F(Spawn, DoesNotExecuteACommandWhoseParentEndsBeforeItHasPrepared) {
  int open_while_it_lives[2];
  ASSERT_EQ(pipe(open_while_it_lives), 0);
  spawning.before_exec = [](pid_t) { _exit(0); };
  const pid_t parent = fork();
  if (parent == 0) {
    spawn(spawning);
    _exit(1);
  }
  close(open_while_it_lives[1]);
  int status = -1;
  EXPECT_EQ(waitpid(parent, &status, 0), parent);
  EXPECT_EQ(status, 0);
  char none = 0;
  EXPECT_EQ(read(open_while_it_lives[0], &none, 1), 0);
  close(open_while_it_lives[0]);
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST_F(Spawn, StartsAProcessOfItsOwnWithFewDescriptors) {
  spawning.place = Spawning::Place::own;
  const FewDescriptors few(48);
  const Spawned spawned = spawn(spawning);
  ASSERT_GT(spawned.pid, 0) << spawned.reason;
  int status = -1;
  EXPECT_EQ(waitpid(spawned.pid, &status, 0), spawned.pid);
  EXPECT_EQ(status, 0);
}

TEST_F(Spawn, GivesTheCommandItsOwnLimitOfDescriptors) {
  spawning.most_descriptors = 99;
  spawning.argv = {"sh", "-c", "ulimit -Sn >" + ran};
  const rlim_t here = descriptor_limit();
  const Spawned spawned = spawn(spawning);
  ASSERT_GT(spawned.pid, 0) << spawned.reason;
  waitpid(spawned.pid, nullptr, 0);
  EXPECT_EQ(contents_of(ran), "99\n");
  EXPECT_EQ(descriptor_limit(), here);
}

TEST_F(Spawn, GivesTheCommandTheHandlingOfSigpipeThatThisProcessHad) {
  ignore_sigpipe();
  spawning.argv = {"sh", "-c", "kill -PIPE $$; touch " + ran};
  const Spawned spawned = spawn(spawning);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1) << "this process still ignores it";
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
  restore_sigpipe();
  ASSERT_GT(spawned.pid, 0) << spawned.reason;
  int status = -1;
  EXPECT_EQ(waitpid(spawned.pid, &status, 0), spawned.pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
  EXPECT_FALSE(std::filesystem::exists(ran));
}

}  // namespace
}  // namespace sluice::testing
