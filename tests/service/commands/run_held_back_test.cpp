// Real commands under `sluice run` while the daemon is short of memory.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <optional>

#include "command_runner.h"
#include "fixture.h"

namespace sluice::testing {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two commands that count for ever, the older first, over a memory of 1000 GiB.
class RunHeldBack : public ::testing::Test {
 protected:
  RunHeldBack() {
    EXPECT_TRUE(eventually([&] { return reported(1); }));
    younger.emplace(counting(), youngers.path(""));
    EXPECT_TRUE(eventually([&] { return reported(2); }));
  }

  std::vector<std::string> counting() const {
    const std::string script =
        "echo $$; trap 'echo asked; exit 3' TERM; while :; do echo .; sleep 0.01; done";
    return {SLUICE_COMMAND, "run",     "--socket", daemon.socket(), "-v",
            "--",           "/bin/sh", "-c",       script};
  }
  std::string job(int number) const {
    return daemon.ask("GET", "/v1/jobs/" + std::to_string(number)).body;
  }
  bool reported(int number) const { return has(job(number), R"("source":"processes")"); }

  void run_short() {
    used = 990;
    ASSERT_TRUE(eventually([&] { return has(younger->err(), "suspended: memory is short: "); }))
        << younger->err();
  }
  /// Whether it keeps counting, within several polls that might resume it.
  static bool counts(const CommandRunner& command) {
    const std::size_t before = command.out().size();
    const auto until = Clock::now() + std::chrono::milliseconds(400);
    while (Clock::now() < until) {
      if (command.out().size() > before + 2) return true;
      sched_yield();
    }
    return false;
  }

  std::atomic<std::uint64_t> used{100};  ///< GiB.
  RunningDaemon daemon{
      "", {}, [this](TimePoint) {
        return std::vector<MemoryLimit>{{"host", Bytes{1000 * kGiB}, Bytes{used * kGiB}}};
      }};
  TemporaryFolder elders, youngers;
  CommandRunner elder{counting(), elders.path("")};
  std::optional<CommandRunner> younger;
};

TEST_F(RunHeldBack, TheYoungerStandsStillAndGoesOn) {
  run_short();
  EXPECT_FALSE(counts(*younger));
  EXPECT_TRUE(counts(elder));
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
