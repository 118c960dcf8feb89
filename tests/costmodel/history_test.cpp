#include "costmodel/history.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <thread>

#include "costmodel/formula.h"
#include "history_runs.h"

namespace sluice::history_test {
namespace {

TEST(History, KnowsNothingAtFirst) {
  const History history({}, {}, nullptr);
  JobRequest job = job_of("k", "p");
  job.inventory = 3;
  const Prediction prediction = history.predict(job);
  EXPECT_EQ(prediction.rung, Rung::prior);
  EXPECT_EQ(prediction.cost, formula({}, 3));
  EXPECT_DOUBLE_EQ(mean_mib(prediction), 512);
  EXPECT_FALSE(prediction.duration);
}

TEST(History, OneRunOfTheKeySaysMoreThanManyOfTheProgram) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 10; ++i) history.learn(sample("other", "p", 100));
  history.learn(sample("k", "p", 700, 2));
  const Prediction prediction = history.predict(job_of("k", "p"));
  EXPECT_EQ(prediction.rung, Rung::key);
  EXPECT_DOUBLE_EQ(mean_mib(prediction), 700);
  EXPECT_EQ(prediction.cost, Points{20});
  EXPECT_EQ(prediction.duration, std::chrono::seconds(10));
}

TEST(History, OneRunOfAKeyCountsForAsMuchAsJobsRepeatOnThisHost) {
  History history({}, {}, nullptr);
  const auto deviation = [&] {
    return history.predict(job_of("once", "p")).memory->deviation / (1000.0 * kMiB);
  };
  history.learn(sample("once", "p", 1000));
  EXPECT_NEAR(deviation(), 0.02 * std::sqrt(2.0), 1e-9);
  for (int i = 0; i < 30; ++i) history.learn(sample("steady", "p", 500));
  EXPECT_LT(deviation(), 0.02);
  for (int i = 0; i < 15; ++i) {
    history.learn(sample("wild", "p", 300));
    history.learn(sample("wild", "p", 500));
  }
  EXPECT_GT(deviation(), 0.15);
  history.forget({.key = "wild"});
  EXPECT_LT(deviation(), 0.02);
}

TEST(History, AnotherKeyOfTheProgramAnswersFromThreeRunsOn) {
  History history({}, {}, nullptr);
  for (const char* key : {"a", "b"}) history.learn(sample(key, "p", 100));
  EXPECT_EQ(history.predict(job_of("k", "p")).rung, Rung::prior);
  history.learn(sample("c", "p", 100));
  EXPECT_EQ(history.predict(job_of("k", "p")).rung, Rung::program);
  EXPECT_EQ(history.predict(job_of("", "p")).rung, Rung::program);
  EXPECT_EQ(history.predict(job_of("k", "q")).rung, Rung::everything);
  EXPECT_EQ(history.predict(job_of("", "")).rung, Rung::everything);
}

TEST(History, PointsAreTenForABusyCoreRounded) {
  History history({}, {}, nullptr);
  for (const double cores : {1.26, 0.1}) {
    history.learn(sample(std::to_string(cores), "p", 1, cores));
    EXPECT_EQ(
        history.predict(job_of(std::to_string(cores), "p")).cost,
        std::max(Points{std::llround(cores * 10)}, *settle(CostOptions{}, Law::adaptive).minimum));
  }
}

TEST(History, ACostThatComesFromCoresSaysHowLowTheCpusMayMakeIt) {
  CostOptions cost;
  cost.base = Points{5};
  cost.per_node = Points{7};
  cost.minimum = Points{3};
  History history(cost, {}, nullptr);
  EXPECT_FALSE(history.predict(job_of("k", "p")).least_cost) << "the formula's, which stays";
  for (int i = 0; i < 3; ++i) history.learn(sample("k", "p", 1, 4));
  for (const char* key : {"k", "other"}) {
    EXPECT_EQ(history.predict(job_of(key, "p")).cost, Points{40});
    EXPECT_EQ(history.predict(job_of(key, "p")).least_cost, Points{3});
  }
  EXPECT_EQ(history.predict(job_of("", "")).cost, Points{40});
  EXPECT_EQ(history.predict(job_of("", "")).least_cost, Points{12}) << "what the formula says";
  JobRequest declared = job_of("k", "p");
  declared.cost = Points{50};
  EXPECT_FALSE(history.predict(declared).least_cost);
}

TEST(History, ABuildThatEndsWithSleepsIsNotExpectedToBeginWithThem) {
  History history({}, {}, nullptr);
  for (int i = 0; i < 10; ++i) history.learn(sample("k", "make", 1, 1));
  for (int i = 0; i < 10; ++i) history.learn(sample("k", "make", 1, 0.01));
  JobRequest job = job_of("k", "make");
  EXPECT_LT(*history.predict(job).cores, 0.1) << "a job that has changed";
  EXPECT_TRUE(history.predict(job).sleeps);
  job.takes_turns = true;
  EXPECT_NEAR(*history.predict(job).cores, 0.505, 1e-9);
  EXPECT_EQ(history.predict(job).cost, Points{5});
  EXPECT_FALSE(history.predict(job).sleeps);
}

TEST(History, NoMemoryIsGuessedForAJobThatNobodyMeasures) {
  History history({}, {}, nullptr);
  JobRequest job = job_of("k", "p");
  job.measured = false;
  EXPECT_FALSE(history.predict(job).memory);
  for (int i = 0; i < 3; ++i) history.learn(sample("other", "q", 100));
  EXPECT_FALSE(history.predict(job).memory) << "runs of anything tell too little";
  for (int i = 0; i < 3; ++i) history.learn(sample("another", "p", 300));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job)), 300);
}

TEST(History, TheJobsOwnWordGoesBeforeWhatWasLearned) {
  History history({}, {}, nullptr);
  history.learn(sample("k", "p", 100, 4));
  JobRequest job = job_of("k", "p");
  job.memory = Bytes{50 * kMiB};
  job.cost = Points{7};
  const Prediction prediction = history.predict(job);
  EXPECT_EQ(prediction.rung, Rung::declared);
  EXPECT_EQ(*prediction.memory, (MemoryNeed{50.0 * kMiB, 0}));
  EXPECT_EQ(prediction.cost, Points{7});
  EXPECT_EQ(prediction.duration, std::chrono::seconds(10));
}

TEST(History, ARunningJobRaisesItsKeyItsProgramAndEverythingUntilItEnds) {
  History history({}, prior(1), nullptr);
  for (int i = 0; i < 3; ++i) history.learn(sample("k", "p", 100));
  const std::vector<JobRequest> asks{job_of("k", "p"), job_of("x", "p"), job_of("x", "y")};
  for (const std::uint64_t so_far : {500, 20}) {
    history.running(7, job_of("k", "p"), used(so_far));
    EXPECT_NEAR(mean_mib(history.predict(asks[0])), 200, 1e-6);
    for (const JobRequest& job : asks) EXPECT_GT(mean_mib(history.predict(job)), 198);
  }
  history.ended(7);
  for (const JobRequest& job : asks) EXPECT_NEAR(mean_mib(history.predict(job)), 100, 1e-6);
}

TEST(History, FewRunsOfOtherJobsMayRaiseWhatIsExpectedButNotLowerIt) {
  History history({}, prior(512), nullptr);
  for (int i = 0; i < 3; ++i) history.learn(sample("small", "p", 10, 0));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "p"))), 512);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "q"))), 512);
  EXPECT_EQ(history.predict(job_of("x", "q")).cost, formula({}, 1)) << "another program";
  for (int i = 0; i < 7; ++i) history.learn(sample("small", "p", 10));
  EXPECT_NEAR(mean_mib(history.predict(job_of("x", "p"))), 10, 1e-6);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "q"))), 512) << "another program";
  for (int i = 0; i < 3; ++i) history.learn(sample("large", "r", 2000));
  EXPECT_GT(mean_mib(history.predict(job_of("x", "r"))), 1999);
}

TEST(History, AProgramThatIsSmallByItsNatureIsBelievedAfterThreeRunsIfItCanBeSuspended) {
  History history({}, prior(512), nullptr);
  JobRequest job = job_of("new", "sleep");
  job.suspendable = true;
  for (int run = 0; run < 3; ++run) {
    EXPECT_GE(mean_mib(history.predict(job)), 512) << run;
    history.learn(sample("s" + std::to_string(run), "sleep", 1));
  }
  EXPECT_LT(mean_mib(history.predict(job)), 2);
  job.suspendable = false;
  EXPECT_GE(mean_mib(history.predict(job)), 512);
  job.suspendable = true;
  history.learn(sample("large", "sleep", 33));
  EXPECT_GE(mean_mib(history.predict(job)), 512) << "one of its runs was not small";
}

TEST(History, NoiseInSmallJobsSaysNothingOfHowLargeOnesRepeat) {
  History history({}, {}, nullptr);
  history.learn(sample("compile", "g++", 1000));
  const double before = history.predict(job_of("compile", "g++")).memory->deviation;
  for (const std::uint64_t mib : {1, 3, 1, 4}) history.learn(sample("wait", "sleep", mib));
  EXPECT_EQ(history.predict(job_of("compile", "g++")).memory->deviation, before);
}

TEST(History, ARunningJobRaisesThePriorOfItsProgram) {
  History history({}, {}, nullptr);
  history.running(1, job_of("k", "p"), used(2560));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "p"))), (512 + 2560) / 2.0);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "q"))), 512);
  history.ended(1);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("x", "p"))), 512);
}

TEST(History, RemembersFiftyRunsOfAKey) {
  History history({}, {}, nullptr);
  for (std::uint64_t i = 1; i <= 60; ++i) history.learn(sample("k", "p", i));
  const std::vector<Sample> samples = history.samples("k");
  ASSERT_EQ(samples.size(), kSamplesPerKey);
  EXPECT_EQ(samples.front().peak_memory, Bytes{11 * kMiB});
  EXPECT_EQ(samples.back().peak_memory, Bytes{60 * kMiB});
}

TEST(History, RemembersTenThousandKeysAndDropsTheOldest) {
  History history({}, {}, nullptr);
  for (std::size_t i = 0; i < kMostKeys + 5; ++i) {
    Sample each = sample("k" + std::to_string(i), "p", 1);
    history.learn(std::move(each));
  }
  EXPECT_EQ(history.summaries().size(), kMostKeys);
  EXPECT_TRUE(history.samples("k4").empty());
  EXPECT_FALSE(history.samples("k5").empty());
}

TEST(History, ForgetsAKeyAtEveryRung) {
  const auto store = std::make_shared<Recorder>();
  History history({}, prior(1), store);
  for (int i = 0; i < 3; ++i) history.learn(sample("big", "p", 1000));
  for (int i = 0; i < 3; ++i) history.learn(sample("small", "p", 10));
  EXPECT_TRUE(history.forget({.key = "big"}));
  EXPECT_FALSE(history.forget({.key = "big"}));
  EXPECT_NEAR(mean_mib(history.predict(job_of("big", "p"))), 10, 1e-6);
  EXPECT_NEAR(mean_mib(history.predict(job_of("x", "y"))), 10, 1e-6);
  EXPECT_EQ(store->samples.size(), 3U);
}

TEST(History, StartsFromItsStoreAndTakesWhatOthersLearned) {
  const auto store = std::make_shared<Recorder>();
  store->samples = {sample("k", "p", 300)};
  History history({}, {}, store);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("k", "p"))), 300);
  store->foreign.added = {sample("theirs", "p", 900)};
  history.learn(sample("mine", "p", 5));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(job_of("theirs", "p"))), 900);
  EXPECT_EQ(store->samples.size(), 2U) << "what came from the store is not written again";
}

TEST(History, SummarisesAKeyForPeople) {
  History history({}, {}, nullptr);
  for (std::uint64_t i = 1; i <= 20; ++i) history.learn(sample("k", "p", 100 * i, 2));
  Sample killed = sample("k", "p", 3000);
  killed.outcome = Outcome::oom;
  history.learn(killed);
  const std::vector<History::Summary> all = history.summaries();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].program, "p");
  EXPECT_EQ(all[0].samples, 21U);
  EXPECT_EQ(all[0].last_ended, killed.ended);
  EXPECT_EQ(all[0].memory_p95, 2000.0 * kMiB);
  EXPECT_EQ(all[0].outcomes.at(Outcome::ok), 20U);
  EXPECT_EQ(all[0].outcomes.at(Outcome::oom), 1U);
  EXPECT_EQ(all[0].next.rung, Rung::key);
}

TEST(History, ASampleIsWhatTheJobUsed) {
  const Sample taken =
      sample_of(job_of("k", "p"), used(80), SeenBy::client, Outcome::oom, Bytes{100 * kMiB}, 9);
  EXPECT_EQ(taken.key, "k");
  EXPECT_EQ(taken.program, "p");
  EXPECT_EQ(taken.ended, 9);
  EXPECT_DOUBLE_EQ(taken.busy_cores, 1.5);
  EXPECT_EQ(taken.peak_memory, Bytes{150 * kMiB});
  EXPECT_EQ(taken.wall, std::chrono::seconds(2));
}

TEST(History, CanBeAskedWhileItLearns) {
  const auto history = std::make_shared<History>(CostOptions{}, ReservationOptions{}, nullptr);
  const CostModel model = history_model(history);
  std::atomic<bool> over = false;
  std::thread learner([&] {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      history->running(i, job_of("k", "p"), used(i));
      history->learn(sample("k", "p", 100));
      history->ended(i);
    }
    over = true;
  });
  while (!over) EXPECT_GT(model(job_of("k", "p")).memory->mean, 0);
  learner.join();
  EXPECT_DOUBLE_EQ(mean_mib(model(job_of("k", "p"))), 100);
}

}  // namespace
}  // namespace sluice::history_test
