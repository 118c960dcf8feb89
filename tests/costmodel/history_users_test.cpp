// Predictions for one user from the runs of others.
#include <gtest/gtest.h>

#include <memory>

#include "history_runs.h"

namespace sluice::history_test {
namespace {

constexpr std::uint64_t kLieInMib = std::uint64_t{1} << 39;  // 2^59 bytes

TEST(HistoryOfUsers, ALiarChangesWhatIsExpectedOfNobodyElse) {
  const auto store = std::make_shared<Recorder>();
  const std::vector<JobRequest> asks{job_of("", "alloc"), job_of("k", "alloc"), job_of("", "other"),
                                     of_user("1000", job_of("k", "alloc")),
                                     of_user("tcp", job_of("", "alloc"))};
  for (const Bytes machine : {kAnyMemory, Bytes{1 << 30}}) {
    {
      History history({}, prior(512), store, machine);
      for (int i = 0; i < 4; ++i) history.learn(of_user("4001", sample("k", "alloc", kLieInMib)));
      history.running(1, of_user("4001", job_of("k", "alloc")), used(kLieInMib));
      for (const JobRequest& job : asks) EXPECT_DOUBLE_EQ(mean_mib(history.predict(job)), 512);
    }
    const History restarted({}, prior(512), store, machine);
    for (const JobRequest& job : asks) EXPECT_DOUBLE_EQ(mean_mib(restarted.predict(job)), 512);
  }
}

TEST(HistoryOfUsers, AUsersOwnRunsGoBeforeRootsAndRootsAreReadByAll) {
  History history({}, prior(1), nullptr);
  history.learn(sample("k", "p", 300));
  EXPECT_NEAR(mean_mib(history.predict(of_user("1000", job_of("k", "p")))), 300, 1e-6);
  history.learn(of_user("1000", sample("k", "p", 900)));
  EXPECT_NEAR(mean_mib(history.predict(of_user("1000", job_of("k", "p")))), 900, 1e-6);
  EXPECT_NEAR(mean_mib(history.predict(of_user("1001", job_of("k", "p")))), 300, 1e-6);
  EXPECT_NEAR(mean_mib(history.predict(job_of("k", "p"))), 300, 1e-6);
  EXPECT_EQ(history.runs_behind(of_user("1001", job_of("k", "p"))), 1U);
}

TEST(HistoryOfUsers, AProgramIsHeavyIfHalfOfTheUsersLastRunsWereElseOfRoots) {
  using Names = std::vector<std::string>;
  History history({}, prior(1), nullptr);
  history.learn(sample("a", "gen", 64));
  history.learn(sample("b", "small", 63));
  history.learn(sample("c", "wrap", 100));
  history.learn(of_user("1001", sample("d", "foreign", 500)));
  EXPECT_EQ(history.heavy_programs(""), (Names{"gen", "wrap"}));
  EXPECT_EQ(history.heavy_programs("1000"), (Names{"gen", "wrap"}));
  history.learn(of_user("1000", sample("c", "wrap", 1)));
  EXPECT_EQ(history.heavy_programs("1000"), Names{"gen"}) << "its own runs";
  history.learn(of_user("1000", sample("e", "wrap", 100)));
  EXPECT_EQ(history.heavy_programs("1000"), (Names{"gen", "wrap"})) << "half of them";
  history.learn(of_user("1000", sample("c", "wrap", 1)));
  EXPECT_EQ(history.heavy_programs("1000"), Names{"gen"});
}

TEST(HistoryOfUsers, RootsRunsOfTheKeySayMoreThanOnesOwnOfTheProgram) {
  History history({}, prior(1), nullptr);
  for (int i = 0; i < 20; ++i) history.learn(of_user("1000", sample("other", "p", 50)));
  history.learn(sample("k", "p", 300));
  EXPECT_NEAR(mean_mib(history.predict(of_user("1000", job_of("k", "p")))), 300, 1e-6);
}

TEST(HistoryOfUsers, WithoutOnesOwnAndRootsTheMiddleOfTheOthersAnswersWithOneVoteEach) {
  History history({}, prior(1), nullptr);
  const auto learn = [&](const char* user, std::uint64_t mib, int runs) {
    for (int i = 0; i < runs; ++i) {
      history.learn(of_user(user, sample("k", "p", mib), SeenBy::governor));
    }
  };
  const auto expected = [&] {
    return mean_mib(history.predict(of_user("1000", job_of("k", "p"))));
  };
  learn("1001", 100, 1);
  EXPECT_NEAR(expected(), 100, 1e-6);
  learn("1002", 900, 50);
  EXPECT_NEAR(expected(), 100, 1e-6) << "of two the lower: many runs are still one vote";
  learn("1003", 200, 2);
  EXPECT_NEAR(expected(), 200, 1e-6);
  for (int i = 0; i < 9; ++i) {
    history.learn(of_user("200" + std::to_string(i), sample("k", "p", 5000), SeenBy::client));
  }
  EXPECT_NEAR(expected(), 200, 1e-6) << "what a client says of itself is no vote";
  learn("1000", 40, 1);
  EXPECT_NEAR(expected(), 40, 1e-6);
}

TEST(HistoryOfUsers, ANewServiceUserOfAHostStartsWarm) {
  History history({}, prior(512), nullptr);
  for (int i = 0; i < 12; ++i) {
    const std::string user = std::to_string(1001 + i % 3);
    history.learn(of_user(user, sample("c" + std::to_string(i), "g++", 200), SeenBy::governor));
  }
  const Prediction of_program = history.predict(of_user("1009", job_of("new", "g++")));
  EXPECT_EQ(of_program.rung, Rung::program);
  const Prediction of_key = history.predict(of_user("1009", job_of("c1", "g++")));
  EXPECT_EQ(of_key.rung, Rung::key);
  EXPECT_NEAR(mean_mib(of_key), 200, 1e-6);
}

TEST(HistoryOfUsers, NothingAboveTheMachinesMemoryIsRemembered) {
  const auto store = std::make_shared<Recorder>();
  store->samples = {sample("old", "p", 1025)};
  History history({}, prior(512), store, Bytes{1024 * kMiB});
  history.learn(sample("k", "p", 1025));
  history.learn(sample("k", "p", 1024));
  EXPECT_EQ(history.samples("k").size(), 1U);
  EXPECT_TRUE(history.samples("old").empty());
  EXPECT_EQ(store->samples.size(), 2U);
  Sample killed = sample("killed", "p", 1500);
  killed.outcome = Outcome::oom;
  history.learn(killed);
  ASSERT_EQ(history.samples("killed").size(), 1U);
  EXPECT_EQ(history.samples("killed")[0].peak_memory, Bytes{1024 * kMiB})
      << "half as much again as was kept for it, but no more than there is";
}

TEST(HistoryOfUsers, NobodyDrivesOutWhatRootTaughtNorWhoHasLess) {
  History history({}, {}, nullptr);
  history.learn(sample("roots", "p", 1));
  history.learn(of_user("1000", sample("modest", "p", 1)));
  for (std::size_t i = 0; i < kMostKeys + 5; ++i) {
    const std::string name = std::to_string(i);
    history.learn(of_user("4001", sample("k" + name, "p" + name, 1)));
  }
  EXPECT_EQ(history.summaries().size(), kMostKeys + 1);
  EXPECT_EQ(history.samples("roots").size(), 1U);
  EXPECT_EQ(history.samples("modest", "1000").size(), 1U);
  EXPECT_TRUE(history.samples("k0", "4001").empty());
}

TEST(HistoryOfUsers, MoreUsersThanAreKnownDropWhoRanLongestAgo) {
  History history({}, {}, nullptr);
  for (std::size_t i = 0; i <= kMostUsers; ++i) {
    history.learn(of_user(std::to_string(i), sample("k", "p", 1)));
  }
  EXPECT_TRUE(history.samples("k", "0").empty());
  EXPECT_EQ(history.samples("k", "1").size(), 1U);
}

TEST(HistoryOfUsers, ForgetsByUserAndByTime) {
  History history({}, {}, nullptr);
  for (const char* user : {"", "1000", "1001"}) {
    for (const char* key : {"a", "b"}) history.learn(of_user(user, sample(key, "p", 1)));
  }
  EXPECT_TRUE(history.forget({.user = "1000"}));
  EXPECT_FALSE(history.forget({.user = "1000"}));
  EXPECT_EQ(history.summaries().size(), 4U);
  const std::int64_t last = history.samples("b", "1001")[0].ended;
  EXPECT_TRUE(history.forget({.since = last}));
  EXPECT_EQ(history.summaries().size(), 3U);
  EXPECT_TRUE(history.samples("b", "1001").empty());
  EXPECT_TRUE(history.forget({.user = "", .key = "a"}));
  EXPECT_TRUE(history.samples("a").empty());
  EXPECT_EQ(history.samples("a", "1001").size(), 1U);
}

}  // namespace
}  // namespace sluice::history_test
