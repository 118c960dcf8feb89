#include "process/shared_leaders.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <vector>

namespace sluice::testing {
namespace {

TEST(SharedLeaders, AForkSeesWhatIsAddedAndRemovedAfterIt) {
  SharedLeaders leaders;
  leaders.add(5);
  int changed[2];
  ASSERT_EQ(pipe(changed), 0);
  const pid_t fork_of_this = fork();
  if (fork_of_this == 0) {
    close(changed[1]);
    char end = 0;
    [[maybe_unused]] const ssize_t none = read(changed[0], &end, 1);
    const std::vector<pid_t> all = leaders.all();
    _exit(std::set<pid_t>(all.begin(), all.end()) == std::set<pid_t>{6, 7} ? 0 : 1);
  }
  leaders.add(6);
  leaders.remove(5);
  leaders.add(7);
  leaders.remove(7);
  leaders.add(7);
  EXPECT_EQ(leaders.all().size(), 2u);
  close(changed[0]);
  close(changed[1]);
  int status = -1;
  EXPECT_EQ(waitpid(fork_of_this, &status, 0), fork_of_this);
  EXPECT_EQ(status, 0);
}

TEST(SharedLeaders, SeeTheNumberThatTheNextOneWrites) {
  SharedLeaders leaders;
  leaders.add(5);
  ASSERT_NE(leaders.next(), nullptr);
  *leaders.next() = 6;
  EXPECT_EQ(leaders.all().size(), 2u);
  leaders.clear_next();
  EXPECT_EQ(leaders.all(), std::vector<pid_t>{5});
  *leaders.next() = 7;
  leaders.add(7);
  EXPECT_EQ(leaders.all().size(), 2u);
  leaders.remove(7);
  EXPECT_EQ(leaders.all(), std::vector<pid_t>{5});
}

TEST(SharedLeaders, HoldAnyNumberOneAfterTheOther) {
  SharedLeaders leaders;
  for (pid_t leader = 1; leader <= 200'000; ++leader) {
    leaders.add(leader);
    if (leader > 3) leaders.remove(leader - 3);
  }
  EXPECT_EQ(leaders.all().size(), 3u);
}

TEST(SharedLeaders, LeaveOutThoseForWhichThereIsNoRoom) {
  SharedLeaders leaders;
  for (pid_t leader = 1; leader <= 70'000; ++leader) leaders.add(leader);
  const std::size_t held = leaders.all().size();
  EXPECT_LT(held, 70'000u);
  EXPECT_EQ(leaders.next(), nullptr);
  leaders.clear_next();
  leaders.remove(70'000);
  EXPECT_EQ(leaders.all().size(), held);
  leaders.remove(1);
  leaders.add(70'001);
  EXPECT_EQ(leaders.all().size(), held);
}

}  // namespace
}  // namespace sluice::testing
