// Predictions for jobs of one key that differ in their arguments.
#include <gtest/gtest.h>

#include "history_runs.h"

namespace sluice::history_test {
namespace {

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

}  // namespace
}  // namespace sluice::history_test
