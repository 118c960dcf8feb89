#include "process/child/foreground_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "base/process_table.h"
#include "fixture.h"
#include "process/child/spawn.h"

namespace sluice::testing {
namespace {

/// The first child of the process; 0 if it has none.
pid_t child_of(pid_t parent) {
  for (const ProcessFacts& each : read_processes()) {
    if (each.parent == parent) return each.pid;
  }
  return 0;
}

char state_of(pid_t process) {
  const auto facts = read_process(process);
  return facts ? facts->state : '-';
}

/// Starts `sleep` as vfork() would, and is stopped before the exec.
[[noreturn]] void stop_between_vfork_and_exec() {
  const long started = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (started == 0) {
    kill(static_cast<pid_t>(syscall(SYS_getpid)), SIGSTOP);
    execlp("sleep", "sleep", "60", nullptr);
    _exit(127);
  }
  while (true) pause();
}

/// Starts `sleep` in place, as a member of the group.
[[noreturn]] void start_in_place(int group) {
  Spawning spawning;
  spawning.place = Spawning::Place::in_place;
  sigemptyset(&spawning.mask);
  spawning.argv = {"sleep", "60"};
  spawning.joins = {group};
  spawn(spawning);
  while (true) pause();
}

/// Runs `body` as a command runs another one.
template <class Body>
[[noreturn]] void run_in_foreground(Body body) {
  const SignalDescriptor signals({SIGTSTP, SIGCHLD});
  const pid_t command = fork();
  if (command == 0) {
    sigprocmask(SIG_SETMASK, &signals.mask_before(), nullptr);
    body();
    _exit(1);
  }
  sluice::ForegroundChild foreground(command);
  while (true) {
    foreground.stop_with_it();
    pollfd ready{signals.descriptor(), POLLIN, 0};
    poll(&ready, 1, foreground.patience(-1));
    foreground.forward(signals);
  }
}

class ForegroundChild : public ::testing::Test {
 protected:
  ~ForegroundChild() override {
    for (const pid_t each : {starts, command}) {
      if (each > 0) kill(each, SIGKILL);
    }
    if (child <= 0) return;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  template <class Body>
  void fork_child(Body body) {
    child = fork();
    if (child != 0) return;
    setpgid(0, 0);
    body();
    _exit(1);
  }

  pid_t child = 0;
  pid_t command = 0;  ///< The child's child, where it runs one in the foreground.
  pid_t starts = 0;   ///< What that one, or else the child, was starting.
};

TEST_F(ForegroundChild, StopsAlsoWhereTheStopCameBetweenVforkAndExec) {
  fork_child([] { run_in_foreground(stop_between_vfork_and_exec); });
  const auto states = [&] {
    return std::string{state_of(child), state_of(command), state_of(starts)};
  };
  ASSERT_TRUE(eventually([&] {
    command = child_of(child);
    starts = command > 0 ? child_of(command) : 0;
    return starts > 0 && states() == "SDT";
  }));
  EXPECT_FALSE(read_process(starts)->has_executed);
  kill(command, SIGTSTP);
  EXPECT_EQ(state_of(command), 'D') << "no signal reaches it";
  kill(child, SIGTSTP);
  EXPECT_TRUE(eventually([&] { return states() == "TTT"; })) << states();
  EXPECT_TRUE(read_process(starts)->has_executed);
  kill(child, SIGCONT);
  EXPECT_TRUE(eventually([&] { return states() == "SST"; })) << states();
}

TEST_F(ForegroundChild, StopsOnceItHasExecutedWhereTheStopCameWhileItEnteredItsGroup) {
  int slow_group[2];  // A full pipe: a writer waits until somebody reads.
  ASSERT_EQ(pipe2(slow_group, O_NONBLOCK), 0);
  while (write(slow_group[1], "x", 1) == 1) {
  }
  fcntl(slow_group[1], F_SETFL, 0);
  fork_child([&] { start_in_place(slow_group[1]); });
  ASSERT_TRUE(eventually([&] {
    starts = child_of(child);
    return starts > 0 && state_of(starts) == 'S' && state_of(child) == 'D';
  }));
  kill(starts, SIGTSTP);
  char all[1 << 16];
  EXPECT_GT(read(slow_group[0], all, sizeof all), 0);
  EXPECT_TRUE(eventually([&] { return state_of(starts) == 'T'; }));
  EXPECT_TRUE(read_process(starts)->has_executed);
  EXPECT_TRUE(eventually([&] { return state_of(child) == 'S'; })) << "can be stopped in its turn";
  close(slow_group[0]);
  close(slow_group[1]);
}

TEST_F(ForegroundChild, StopsWithOneThatMayNotReadTheTerminalAlsoWhereCtrlZIsDiscarded) {
  child = fork();
  if (child == 0) {
    setsid();  // The group is orphaned: its parent is of another session.
    run_in_foreground([] {
      setpgid(0, 0);  // This one is not.
      while (true) raise(SIGTTIN);
    });
  }
  const auto states = [&] { return std::string{state_of(child), state_of(command)}; };
  const auto both_stand = [&] {
    command = child_of(child);
    return command > 0 && states() == "TT";
  };
  EXPECT_TRUE(eventually(both_stand)) << "continued without end: " << states();
}

TEST_F(ForegroundChild, ThatIgnoresTheStopGoesOnAndWhatItHasForkedStaysStopped) {
  fork_child([] {
    signal(SIGTSTP, SIG_IGN);
    if (fork() == 0) raise(SIGSTOP);
    while (true) pause();
  });
  ASSERT_TRUE(eventually([&] {
    starts = child_of(child);
    return starts > 0 && state_of(starts) == 'T' && state_of(child) == 'S';
  }));
  const SignalDescriptor signals({SIGTSTP});
  raise(SIGTSTP);
  sluice::ForegroundChild foreground(child);
  const TimePoint began = Clock::now();
  foreground.forward(signals);
  EXPECT_LT(Clock::now() - began, std::chrono::milliseconds(200)) << "the caller has work to do";
  EXPECT_LT(foreground.patience(-1), 100);
  EXPECT_GE(foreground.patience(-1), 0);
  EXPECT_EQ(foreground.patience(0), 0);
  const auto waits_for_ever = [&] {
    foreground.stop_with_it();
    return foreground.patience(-1) == -1;
  };
  EXPECT_TRUE(eventually(waits_for_ever)) << "it starts nothing";
  EXPECT_EQ(state_of(child), 'S');
  EXPECT_EQ(state_of(starts), 'T') << "no vfork() waits for it";
}

}  // namespace
}  // namespace sluice::testing
