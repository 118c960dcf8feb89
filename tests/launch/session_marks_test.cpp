#include "launch/session_marks.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "fixture.h"

namespace sluice::testing {
namespace {

using std::chrono::seconds;

class SessionMarksTest : public ::testing::Test {
 protected:
  std::optional<SessionMarks> open(int session = 7) {
    return SessionMarks::open({folder.path("")}, "marks", session);
  }

  TemporaryFolder folder;
  const SessionMarks::Time now{seconds(1'000'000'000)};
};

TEST_F(SessionMarksTest, AreSetForATimeAndOnlyTheFirstSetsThem) {
  auto marks = open();
  ASSERT_TRUE(marks);
  EXPECT_FALSE(marks->is_set("said", now, seconds(60)));
  EXPECT_TRUE(marks->set("said", now, seconds(60)));
  EXPECT_TRUE(marks->is_set("said", now + seconds(59), seconds(60)));
  EXPECT_FALSE(open()->set("said", now + seconds(59), seconds(60))) << "another command";
  EXPECT_FALSE(marks->set("said", now + seconds(118), seconds(60))) << "the build goes on";
  EXPECT_TRUE(marks->set("said", now + seconds(178), seconds(60))) << "the next build";
  EXPECT_FALSE(marks->is_set("said", now, seconds(60))) << "the clock was set back";
}

TEST_F(SessionMarksTest, OfTwoAtOnceOneIsTheFirst) {
  EXPECT_TRUE(open()->set("said", now, seconds(60)));
  EXPECT_FALSE(open()->set("said", now - std::chrono::milliseconds(10), seconds(60)))
      << "it read the clock before the other set the mark";
}

TEST_F(SessionMarksTest, AreOfOneSessionAndOneName) {
  EXPECT_TRUE(open()->set("said", now, seconds(60)));
  EXPECT_TRUE(open(8)->set("said", now, seconds(60)));
  EXPECT_TRUE(open()->set("avoided", now, seconds(60)));
}

TEST_F(SessionMarksTest, OfSessionsThatHaveLongEndedAreRemoved) {
  open(8)->set("said", now, seconds(60));
  open(9)->set("said", now + seconds(80'000), seconds(60));
  open()->set("said", now + seconds(90'000), seconds(60));
  EXPECT_FALSE(std::filesystem::exists(folder.path("marks/said-8")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("marks/said-9")));
  EXPECT_TRUE(std::filesystem::exists(folder.path("marks/said-7")));
}

TEST_F(SessionMarksTest, AreInAFolderThatNobodyElseMayEnter) {
  open();
  struct stat facts {};
  ASSERT_EQ(stat(folder.path("marks").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(SessionMarksTest, FollowNoLinkAndUseNoFolderOfOthers) {
  ASSERT_EQ(mkdir(folder.path("elsewhere").c_str(), 0700), 0);
  ASSERT_EQ(symlink("elsewhere", folder.path("marks").c_str()), 0);
  EXPECT_FALSE(open()) << "a link";
  ASSERT_EQ(unlink(folder.path("marks").c_str()), 0);
  ASSERT_EQ(mkdir(folder.path("marks").c_str(), 0755), 0);
  EXPECT_FALSE(open()) << "open to others";
  if (geteuid() != 0) return;
  chmod(folder.path("marks").c_str(), 0700);
  ASSERT_EQ(chown(folder.path("marks").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(open()) << "another user's";
}

TEST_F(SessionMarksTest, AreInTheFirstPlaceThatServes) {
  const auto marks = SessionMarks::open({"/nonexistent", "/proc", folder.path("")}, "marks", 7);
  EXPECT_TRUE(marks);
  EXPECT_TRUE(std::filesystem::exists(folder.path("marks")));
  EXPECT_FALSE(SessionMarks::open({"/nonexistent", "/proc"}, "marks", 7));
}

TEST_F(SessionMarksTest, WriteThroughNoLink) {
  auto marks = open();
  write_file(folder.path("victim"), "x");
  ASSERT_EQ(symlink("../victim", folder.path("marks/said-7").c_str()), 0);
  marks->set("said", now, seconds(60));
  struct stat facts {};
  ASSERT_EQ(stat(folder.path("victim").c_str(), &facts), 0);
  EXPECT_NE(facts.st_mtim.tv_sec, 1'000'000'000);
}

}  // namespace
}  // namespace sluice::testing
