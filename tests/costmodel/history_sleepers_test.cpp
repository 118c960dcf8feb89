// Jobs that are known to use next to no CPU.
#include <gtest/gtest.h>

#include "history_runs.h"

namespace sluice::history_test {
namespace {

/// Whether a job is known to use next to no CPU, by what was learned of its key and program.
bool sleeps(const History& history, const std::string& key, const std::string& program) {
  return history.predict(job_of(key, program)).sleeps;
}

TEST(History, AJobWhoseOwnRunsUseLessThanATenthOfACoreSleeps) {
  History history({}, {}, nullptr);
  history.learn(sample("k", "p", 1, 0.09));
  EXPECT_TRUE(sleeps(history, "k", "p"));
  EXPECT_FALSE(sleeps(history, "other", "p")) << "one run of its program says little";
  JobRequest unmeasured = job_of("k", "p");
  unmeasured.measured = false;
  EXPECT_FALSE(history.predict(unmeasured).sleeps);
  history.learn(sample("k", "p", 1, 1));
  EXPECT_FALSE(sleeps(history, "k", "p"));
}

TEST(History, AProgramSleepsIfAllOfThreeRunsDo) {
  History history({}, {}, nullptr);
  for (const char* key : {"a", "b", "c"}) history.learn(sample(key, "sleep", 1, 0.01));
  EXPECT_TRUE(sleeps(history, "new", "sleep"));
  EXPECT_FALSE(sleeps(history, "new", "other")) << "what is known of everything is no sleeper";
  history.learn(sample("d", "sleep", 1, 0.2));
  EXPECT_FALSE(sleeps(history, "new", "sleep"));
}

TEST(History, ARunWithoutCpuTimeTeachesNoSleeper) {
  History history({}, {}, nullptr);
  history.learn(sample("k", "p", 1, 0));
  EXPECT_FALSE(sleeps(history, "k", "p"));
}

TEST(History, RunsOfOtherUsersTeachNoSleeper) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 4; ++i) history.learn(of_user("4001", sample("k", "cc1plus", 1, 0.01)));
  EXPECT_FALSE(history.predict(of_user("1000", job_of("k", "cc1plus"))).sleeps);
  EXPECT_TRUE(history.predict(of_user("4001", job_of("k", "cc1plus"))).sleeps);
}

}  // namespace
}  // namespace sluice::history_test
