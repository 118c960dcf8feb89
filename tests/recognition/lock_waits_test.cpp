#include "recognition/lock_waits.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <string>
#include <vector>

#include "command_runner.h"
#include "watched_build.h"

namespace sluice::testing {
namespace {

using Waits = std::vector<LockWait>;

TEST(LockWaits, NameTheLockThatIsInTheWay) {
  EXPECT_EQ(parse_lock_waits("1: POSIX  ADVISORY  WRITE 11767 fe:00:10952785 5 14\n"
                             "1: -> POSIX  ADVISORY  WRITE 11837 fe:00:10952785 0 9\n"
                             "2: FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF\n"
                             "2: -> FLOCK  ADVISORY  WRITE 11765 fe:00:10953080 0 EOF\n"
                             "2:  -> FLOCK  ADVISORY  WRITE 11766 fe:00:10953080 0 EOF\n"
                             "3: FLOCK  ADVISORY  READ  44 08:01:77 0 EOF\n"),
            (Waits{{11837, "POSIX  ADVISORY  WRITE 11767 fe:00:10952785 5 14"},
                   {11765, "FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF"},
                   {11766, "FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF"}}));
  EXPECT_EQ(parse_lock_waits("1: OFDLCK ADVISORY  WRITE -1 fe:00:12 0 EOF\n"
                             "1: -> POSIX  ADVISORY  READ  9 fe:00:12 0 EOF\n"
                             "1: -> OFDLCK ADVISORY  WRITE -1 fe:00:12 0 EOF\n"
                             "12: LEASE  BREAKING  READ  7 00:2b:5 0 EOF\n"
                             "12: -> LEASE  BREAKER   WRITE 8 00:2b:5 0 EOF\n"),
            (Waits{{9, "OFDLCK ADVISORY  WRITE -1 fe:00:12 0 EOF"},
                   {0, "OFDLCK ADVISORY  WRITE -1 fe:00:12 0 EOF"},
                   {8, "LEASE  BREAKING  READ  7 00:2b:5 0 EOF"}}));
}

TEST(LockWaits, AreNotReadFromOtherTexts) {
  for (const char* text :
       {"", "\n", "1", "1:", "1: ->", "1: -> \n", "-> FLOCK  ADVISORY  WRITE 5 a",
        "1: -> FLOCK  ADVISORY  WRITE 5 fe:00:1 0 EOF\n",
        "1: FLOCK  ADVISORY  WRITE 5 a\n1: -> FLOCK  ADVISORY  WRITE x a\n",
        "1: FLOCK  ADVISORY  WRITE 5 a\n1: -> FLOCK  ADVISORY  WRITE 0 a\n",
        "1: FLOCK  ADVISORY  WRITE 5 a\n1: -> FLOCK  ADVISORY  WRITE -2 a\n"}) {
    EXPECT_EQ(parse_lock_waits(text), Waits{}) << text;
  }
}

TEST(LockWaits, AFileHasLocksInTheSameWords) {
  EXPECT_EQ(parse_locks_of_file("pos:\t0\nflags:\t0100001\nmnt_id:\t29\nino:\t10953080\n"
                                "lock:\t1: FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF\n"
                                "lock:\t2: POSIX  ADVISORY  READ  11763 fe:00:10953080 4 8\n"),
            (std::vector<std::string>{"FLOCK  ADVISORY  WRITE 11763 fe:00:10953080 0 EOF",
                                      "POSIX  ADVISORY  READ  11763 fe:00:10953080 4 8"}));
  EXPECT_TRUE(parse_locks_of_file("pos:\t0\nflags:\t02\n").empty());
}

/// Two builds of which one has the only permit, and waits for a lock that the other has.
class BlockedBuild : public WatchedBuild {
 protected:
  BlockedBuild() : WatchedBuild(kOneAtOnce) { add_lock_programs(); }

  void expect_to_go_on(const std::string& kind) const {
    CommandRunner other(watched(kind + "/cc1"), folder.path(""));
    const TimePoint began = Clock::now();
    const Answer answer =
        run("until [ -e started ]; do sleep 0.02; done; " + kind + "/flock ./cc1 out & wait $!");
    EXPECT_EQ(answer.status, 0) << answer.text;
    EXPECT_EQ(WEXITSTATUS(other.wait()), 0);
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(15)) << answer.text;
    EXPECT_EQ(number(answer, "stall"), 1) << answer.text;
    EXPECT_NE(answer.text.find("another process waits for a lock that it holds"), std::string::npos)
        << answer.text;
    EXPECT_TRUE(all_returned());
  }
};

INSTANTIATE_TEST_SUITE_P(Sources, BlockedBuild, ::testing::Values("best", "proc"));

TEST_P(BlockedBuild, GoesOnWhereWhatAnotherBuildHoldsHasALock) { expect_to_go_on("file"); }

TEST_P(BlockedBuild, GoesOnWhereWhatAnotherBuildHoldsHasALockOfAnOpenFile) {
  expect_to_go_on("ofd");
}

}  // namespace
}  // namespace sluice::testing
