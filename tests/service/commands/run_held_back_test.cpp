// Real commands under `sluice run` while the daemon is short of memory.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "command_runner.h"
#include "fixture.h"
#include "held_back.h"

namespace sluice::testing {
namespace {

class RunHeldBack : public HeldBack {
 protected:
  RunHeldBack() : HeldBack("sluice run") {
    const std::string script =
        "echo $$; trap 'echo asked; exit 3' TERM; while :; do echo .; sleep 0.01; done";
    start(
        {SLUICE_COMMAND, "run", "--socket", daemon.socket(), "-v", "--", "/bin/sh", "-c", script});
  }
};

TEST_F(RunHeldBack, TheYoungerStandsStillAndGoesOn) {
  run_short();
  EXPECT_FALSE(counts(*younger));
  EXPECT_TRUE(counts(*elder));
  EXPECT_TRUE(
      has(job(2), R"("suspended":{"message":"memory is short: 990.0 GiB of 1000.0 GiB used)"));
  EXPECT_TRUE(has(daemon.log(), "suspended job 2, which holds")) << daemon.log();
  EXPECT_TRUE(has(daemon.ask("GET", "/metrics").body, "\nsluice_job_suspensions_total 1\n"));
  used = 100;
  ASSERT_TRUE(eventually([&] { return has(younger->err(), "sluice run: resumed\n"); }));
  EXPECT_TRUE(eventually([&] { return counts(*younger); }));
}

TEST_F(RunHeldBack, AskedToEndItHears) {
  run_short();
  kill(younger->pid(), SIGTERM);
  EXPECT_EQ(WEXITSTATUS(younger->wait()), 3);
  EXPECT_TRUE(has(younger->out(), "asked"));
}

TEST_F(RunHeldBack, ItGoesOnWhenTheDaemonIsGone) {
  run_short();
  daemon.stop();
  EXPECT_TRUE(eventually([&] { return counts(*younger); }));
}

TEST_F(RunHeldBack, KilledItLeavesNothingStoppedBehind) {
  run_short();
  const pid_t command = std::stoi(younger->out());
  EXPECT_FALSE(gone(command));
  kill(younger->pid(), SIGKILL);
  younger->wait();
  EXPECT_TRUE(eventually([&] { return gone(command); }));
  EXPECT_TRUE(eventually([&] { return has(job(2), R"("state":"finished")"); }));
}

}  // namespace
}  // namespace sluice::testing
