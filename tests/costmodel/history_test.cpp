#include "costmodel/history.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "costmodel/formula.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

Sample sample(std::string key, std::string program, std::uint64_t mib, double cores = 1) {
  static std::int64_t ended = 0;
  return {std::move(key),    std::move(program),      ++ended, Outcome::ok, cores,
          Bytes{mib * kMiB}, std::chrono::seconds(10)};
}

JobRequest job_of(std::string key, std::string program) {
  JobRequest job;
  job.key = std::move(key);
  job.program = std::move(program);
  job.measured = true;
  return job;
}

JobUsage used(std::uint64_t mib) {
  JobUsage usage;
  usage.wall = std::chrono::seconds(2);
  usage.cpu = std::chrono::seconds(3);
  usage.memory = usage.peak_memory = Bytes{mib * kMiB};
  return usage;
}

double mean_mib(const Prediction& prediction) {
  return prediction.memory ? prediction.memory->mean / kMiB : -1;
}

ReservationOptions prior(std::uint64_t mib) {
  ReservationOptions options;
  options.prior = Bytes{mib * kMiB};
  return options;
}

/// Retains samples for the next history of the same test.
class Recorder : public SampleStore {
 public:
  std::vector<Sample> load() override { return samples; }
  void add(const Sample& sample) override { samples.push_back(sample); }
  std::vector<ForgottenKey> forget(const SampleFilter& which) override {
    std::erase_if(samples, [&](const Sample& each) { return each.key == which.key; });
    return {};
  }
  StoreNews news() override { return std::exchange(foreign, {}); }

  std::vector<Sample> samples;
  StoreNews foreign;
};

Sample of_variant(const std::string& variant, std::uint64_t mib) {
  Sample run = sample("eat:#", "eat", mib);
  run.variant = variant;
  return run;
}

JobRequest variant_of_job(const std::string& variant) {
  JobRequest job = job_of("eat:#", "eat");
  job.variant = variant;
  return job;
}

TEST(HistoryOfVariants, WhereTheyDisagreeEachIsPredictedByItsOwnRuns) {
  History history({}, prior(512), nullptr);
  for (const std::uint64_t mib : {50, 120, 240, 400}) {
    history.learn(of_variant(std::to_string(mib), mib));
  }
  for (const std::uint64_t mib : {50, 120, 240, 400}) {
    const Prediction next = history.predict(variant_of_job(std::to_string(mib)));
    EXPECT_EQ(next.rung, Rung::key);
    EXPECT_DOUBLE_EQ(mean_mib(next), static_cast<double>(mib));
    EXPECT_LT(next.memory->deviation / next.memory->mean, 0.05) << "jobs repeat";
  }
  const Prediction unseen = history.predict(variant_of_job("300"));
  EXPECT_DOUBLE_EQ(mean_mib(unseen), (50 + 120 + 240 + 400) / 4.0);
  EXPECT_GT((unseen.memory->mean + 2.33 * unseen.memory->deviation) / kMiB, 400);
}

TEST(HistoryOfVariants, WhereTheyAgreeAllSpeakForEach) {
  History history({}, prior(512), nullptr);
  for (const std::uint64_t mib : {300, 302, 304}) {
    history.learn(of_variant(std::to_string(mib), mib));
  }
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("300"))), 302);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("7"))), 302);
}

TEST(HistoryOfVariants, FewerThanThreeRunsOfOthersDoNotVouchForOne) {
  History history({}, prior(512), nullptr);
  history.learn(of_variant("50", 50));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("50"))), 50);
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("400"))), 512);
  history.learn(of_variant("51", 51));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("400"))), 512);
  history.learn(of_variant("52", 52));
  EXPECT_DOUBLE_EQ(mean_mib(history.predict(variant_of_job("400"))), 51);
}

TEST(HistoryOfVariants, DoNotMakeJobsOfOtherKeysLookUnsteady) {
  History history({}, prior(512), nullptr);
  history.learn(sample("steady", "p", 200));
  const double before = history.predict(job_of("steady", "p")).memory->deviation;
  for (const std::uint64_t mib : {50, 120, 240, 400}) {
    history.learn(of_variant(std::to_string(mib), mib));
  }
  EXPECT_DOUBLE_EQ(history.predict(job_of("steady", "p")).memory->deviation, before);
}

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

Sample of_user(std::string user, Sample sample, SeenBy seen_by = SeenBy::client) {
  sample.user = std::move(user);
  sample.seen_by = seen_by;
  return sample;
}

JobRequest of_user(std::string user, JobRequest job) {
  job.user = std::move(user);
  return job;
}

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
}  // namespace sluice
