#include "base/terminal_stop.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sluice {
namespace {

/// How often a process in a group of its own stops that has one more SIGTSTP pending.
int stops_with_another_pending() {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    sigprocmask(SIG_BLOCK, &only, nullptr);
    kill(getpid(), SIGTSTP);
    stop_by_sigtstp();
    _exit(0);
  }
  int stops = 0;
  int status = 0;
  while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status)) {
    ++stops;
    kill(child, SIGCONT);
  }
  return stops;
}

TEST(TerminalStop, IsOneStopAlsoIfTheTerminalsSignalIsStillPending) {
  EXPECT_EQ(stops_with_another_pending(), 1);
}

}  // namespace
}  // namespace sluice
