// Builds whose daemon does not answer when they start, or is gone.
#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "build_fixture.h"
#include "cli/build/tool_number.h"
#include "command_runner.h"
#include "full_listener.h"

namespace sluice::testing {
namespace {

class HungDaemon : public BuildFixture {
 protected:
  void make_folder() const {
    ASSERT_EQ(answer_of("mkdir -m 700 " + folder.path("run/sluice")).status, 0);
  }
  Answer press_ctrl_c(const std::string& subcommand) const {
    return answer_of("cd " + work("") +
                     " && timeout 250 " SLUICE_SOURCE
                     "/tests/cli/build/interrupted_start.py " SLUICE_COMMAND " " +
                     subcommand);
  }
};

TEST_F(HungDaemon, IsNamedAtOnceAndDelaysNoBuild) {
  ASSERT_EQ(build("-- true").status, 0);
  const pid_t first = daemon_at(socket());
  ASSERT_GT(first, 0);
  kill(first, SIGSTOP);
  for (const char* options : {"", "--tokens "}) {
    const TimePoint began = Clock::now();
    const Answer built = build(std::string(options) + "-- echo built");
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(8)) << options;
    EXPECT_EQ(built.status, 0) << built.text;
    EXPECT_EQ(count(built.text, "built\n"), 1u) << built.text;
    EXPECT_EQ(
        count(built.text, "the daemon, process " + std::to_string(first) +
                              ", does not answer: the build continues ungoverned (" + socket()),
        1u)
        << built.text;
  }
  const Answer told = build("--tokens --max 3 -- sh -c 'echo $MAKEFLAGS'");
  EXPECT_EQ(count(told.text, "--jobserver-auth="), 1u) << "else make runs one job: " << told.text;
  kill(first, SIGCONT);
  EXPECT_EQ(build("-- echo built").text, "built\n");
  EXPECT_EQ(daemon_at(socket()), first);
  EXPECT_EQ(count(log(), "already served"), 0u) << "a second one tried: " << log();
}

TEST_F(HungDaemon, ThatTakesNoFurtherConnectionIsNamedAndNoSecondIsStarted) {
  make_folder();
  const FullListener hung(socket());
  for (const char* options : {"", "--tokens "}) {
    const Answer built = build(std::string(options) + "-- echo built");
    EXPECT_EQ(built.status, 0) << built.text;
    EXPECT_EQ(count(built.text, "built\n"), 1u) << built.text;
    EXPECT_EQ(count(built.text,
                    "the daemon does not answer: the build continues ungoverned (" + socket()),
              1u)
        << built.text;
  }
}

TEST_F(HungDaemon, ThatTookNoConnectionGovernsTheRestOfTheBuildOnceAnotherServesInItsPlace) {
  make_folder();
  std::optional<FullListener> hung(socket());
  write_file(work("tokens.py"),
             "import array, fcntl, os, termios\n"
             "tokens = os.open(os.environ['SLUICE_JOBSERVER'], os.O_RDWR | os.O_NONBLOCK)\n"
             "count = array.array('i', [0])\n"
             "fcntl.ioctl(tokens, termios.FIONREAD, count)\n"
             "print(count[0])\n");
  ASSERT_EQ(answer_of("cp /bin/sleep " + work("cc1")).status, 0);
  const unsigned cpus = std::max(std::thread::hardware_concurrency(), 1U);
  const std::string later = std::to_string(cli::most_waiting_jobs(cpus) - 1);
  const std::string line = "cd " + work("") +
                           "; python3 tokens.py; until [ $(python3 tokens.py) = " + later +
                           " ]; do sleep 0.05; done; ./cc1 1";
  CommandRunner building(
      {"/usr/bin/timeout", "60", SLUICE_COMMAND, "build", "-v", "--", "sh", "-c", line},
      folder.path("home"));
  ASSERT_TRUE(eventually([&] { return count(building.out(), "\n") == 1; })) << building.err();
  EXPECT_EQ(building.out(), std::to_string(cpus - 1) + "\n") << "ungoverned, one for each CPU";
  hung.reset();
  EXPECT_EQ(build("-- true").status, 0) << "starts another";
  EXPECT_EQ(building.wait(), 0) << building.err();
  EXPECT_EQ(count(building.err(), "does not answer: the build continues ungoverned"), 1u);
  EXPECT_EQ(count(building.err(), "the daemon answers again"), 1u) << building.err();
  const std::size_t heaviest = building.err().find("the heaviest: ");
  ASSERT_NE(heaviest, std::string::npos) << building.err();
  EXPECT_NE(building.err().find("cc1 ", heaviest), std::string::npos) << "it had a permit";
}

TEST_F(HungDaemon, ThatServedAnOuterBuildAloneAndIsGoneIsReplacedForANestedOne) {
  write_file(work("outer.sh"), "sluice=" SLUICE_COMMAND
                               "\nkill -9 $(sed -n 's/^\\[\\([0-9]*\\)\\].*/\\1/p' " +
                                   own("daemon.log") +
                                   " | tail -n 1)\n"
                                   "while $sluice status >/dev/null 2>&1; do sleep 0.05; done\n"
                                   "$sluice build -- sh -c 'echo built, told $SLUICE_SOCKET.'\n");
  const Answer built = build("--alone -- sh outer.sh");
  EXPECT_EQ(built.status, 0) << built.text;
  EXPECT_EQ(count(built.text, "built, told .\n"), 1u) << built.text;
  EXPECT_GT(daemon_at(socket()), 0) << "the usual one";
}

TEST_F(HungDaemon, WhileItIsAskedCtrlCEndsTheBuildAndItsCommandDoesNotStart) {
  const Answer pressed = press_ctrl_c("build");
  EXPECT_EQ(pressed.status, 0) << pressed.text;
}

TEST_F(HungDaemon, WhileItIsAskedForTokensCtrlCEndsTheJobserverAndItsCommandDoesNotStart) {
  const Answer pressed = press_ctrl_c("jobserver");
  EXPECT_EQ(pressed.status, 0) << pressed.text;
}

}  // namespace
}  // namespace sluice::testing
