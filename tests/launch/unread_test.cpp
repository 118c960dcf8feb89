// Commands under `sluice-launch` whose messages nobody reads.
#include "unread.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "fixture.h"

namespace sluice::testing {
namespace {

/// Without a daemon, of which the launcher says a line.
class LaunchUnread : public ::testing::Test {
 protected:
  LaunchUnread() {
    for (const char* name : {"SLUICE_PERMIT", "SLUICE_JOBSERVER", "TMPDIR"}) unsetenv(name);
    setenv("XDG_RUNTIME_DIR", folder.path("").c_str(), 1);
    setenv("SLUICE_SOCKET", folder.path("none").c_str(), 1);
  }

  TemporaryFolder folder;
};

TEST_F(LaunchUnread, RunsTheCommandAllTheSame) {
  const Answer answer = unread(std::string(SLUICE_LAUNCH) + " sh -c 'echo launched; exit 4'");
  EXPECT_EQ(answer.status, 4);
  EXPECT_EQ(answer.text, "launched\n");
}

TEST_F(LaunchUnread, LeavesTheCommandItsHandlingOfSignals) {
  EXPECT_EQ(ignored_below(std::string(SLUICE_LAUNCH) + " -- env"), ignored_below("env"));
  EXPECT_EQ(ignored_below("trap '' PIPE;" + std::string(SLUICE_LAUNCH) + " -- env"),
            ignored_below("trap '' PIPE; env"));
}

}  // namespace
}  // namespace sluice::testing
