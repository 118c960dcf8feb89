// What a build starts and nobody waits for: double forks, and daemons that it leaves behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "command_runner.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

const std::string kDetach = STATIC_PROGRAM " detach ";

class OrphansOfABuild : public WatchedBuild {
 protected:
  OrphansOfABuild() : WatchedBuild(kOneAtOnce) {
    std::filesystem::create_directory(build.path("static"));
    std::filesystem::create_symlink(STATIC_PROGRAM, build.path("static/cc1"));
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, OrphansOfABuild, ::testing::Values("best", "proc"));

TEST_P(OrphansOfABuild, AreHeldAndCountedAlsoIfTheyAreStatic) {
  const Answer answer = run("static/cc1 compute 3000 first & sleep 0.3; " + kDetach +
                            "static/cc1 compute 1000 out; until [ -e out ]; do sleep 0.05; done; "
                            "[ -e first ] || exit 9; wait");
  EXPECT_EQ(answer.status, 0) << "both ran at once: " << answer.text;
  EXPECT_EQ(number(answer, "runs"), 2) << answer.text;
  EXPECT_EQ(number(answer, "most_held"), 1) << answer.text;
  EXPECT_TRUE(all_returned());
}

TEST_P(OrphansOfABuild, LeaveNoZombies) {
  const Answer answer =
      run("for each in 1 2 3 4 5; do " + kDetach + "true; " + kDetach +
          "sleep 0.3; done; sleep 0.6; tries=0; "
          "until [ $(cat /proc/[0-9]*/stat 2>/dev/null | grep -c \") Z $PPID \") = 0 ]; do "
          "tries=$((tries+1)); [ $tries -lt 100 ] || exit 9; sleep 0.05; done");
  EXPECT_EQ(answer.status, 0) << answer.text;
}

TEST_P(OrphansOfABuild, AreNotWhatItsCallerHadStartedAlsoWhereTheKernelListsNoChildren) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to hide the list";
  std::string command;
  for (const std::string& word : watched("until [ -e before ]; do sleep 0.05; done")) {
    command += " '" + word + "'";
  }
  // A socket cannot be opened, like a file that is not there.
  write_file(build.path("caller.sh"), "cd " + build.path("") +
                                          "; static/cc1 compute 2000 before & "
                                          "mount --bind " +
                                          daemon->socket() +
                                          " /proc/$$/task/$$/children || exit 77; exec" + command);
  const Answer answer = answer_of("timeout 60 unshare -m sh " + build.path("caller.sh"));
  if (answer.status == 77) GTEST_SKIP() << answer.text;
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "runs"), 0) << answer.text;
}

TEST_P(OrphansOfABuild, AreLetGoWithIt) {
  const Answer answer =
      run(kDetach + "static/cc1 compute 5000 first; sleep 0.3; " + kDetach +
          "sh -c \"echo \\$\\$ >left.pid; exec static/cc1 compute 1000 out\"; "
          "until [ -s left.pid ] && grep -q State:.[Tt] /proc/$(cat left.pid)/status; do "
          "[ ! -e out ] || exit 9; sleep 0.05; done");
  EXPECT_EQ(answer.status, 0) << answer.text;
  EXPECT_EQ(number(answer, "running"), 1) << answer.text;
  EXPECT_EQ(number(answer, " held"), 1) << answer.text;
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(build.path("out")); }));
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(build.path("first")); }));
  EXPECT_EQ(stopped(), 0u);
  EXPECT_TRUE(all_returned());
}

TEST_P(OrphansOfABuild, OfAKilledMakeAreLetGo) {
  add_makefile(6);
  CommandRunner making(watched("exec make -s -j6"), folder.path(""));
  EXPECT_TRUE(eventually([&] { return stopped() >= 5; }));
  kill(first_child_of(making.pid()), SIGKILL);
  EXPECT_EQ(WEXITSTATUS(making.wait()), 128 + SIGKILL) << making.err();
  EXPECT_TRUE(eventually([&] { return stopped() == 0; }));
  EXPECT_TRUE(all_returned());
  EXPECT_TRUE(eventually([&] { return build.use().all == 6; })) << "its compiles go on";
}

}  // namespace
}  // namespace sluice::testing
