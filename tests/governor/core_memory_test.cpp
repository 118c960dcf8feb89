#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory_jobs.h"

namespace sluice::memory_test {
namespace {

/// A model with settable answers: mebibytes by key, and points.
struct Taught {
  std::map<std::string, double> mebibytes;
  Points points{10};

  CostModel model() const {
    return [this](const JobRequest& request) {
      Prediction prediction{points};
      const auto found = mebibytes.find(request.key);
      if (found != mebibytes.end()) prediction.memory = MemoryNeed{found->second * kMiB, 0};
      return prediction;
    };
  }
};

class CoreMemory : public ::testing::Test {
 protected:
  CoreMemory() : core_(options(), taught_.model(), {}, at(0)) {
    taught_.mebibytes = {{"small", 100}, {"large", 600}};
    see(1000, 0);
  }

  void see(std::uint64_t limit, std::uint64_t used) {
    core_.observe_memory({{"/pod", Bytes{limit * kMiB}, Bytes{used * kMiB}}});
  }
  std::vector<Admitted> submit(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) core_.submit(job(key), at(0));
    return core_.pass(at(0));
  }
  std::optional<Refusal> refusal(std::uint64_t id) {
    const auto seen = core_.job(JobId{id}, at(0));
    return seen ? seen->refusal : std::nullopt;
  }

  Taught taught_;
  Core core_;
};

TEST(CorePrediction, IsByAllThatTellsJobsApart) {
  std::vector<JobRequest> asked;
  Core core(
      options(),
      [&](const JobRequest& request) {
        asked.push_back(request);
        return Prediction{Points{10}};
      },
      {}, at(0));
  core.observe_memory({{"/pod", Bytes{1000 * kMiB}, Bytes{0}}});
  JobRequest one = job("eat:#");
  one.program = "eat";
  one.variant = "400";
  one.user = "1000";
  core.submit(one, at(0));
  core.submit(one, at(0));
  ASSERT_EQ(core.pass(at(0)).size(), 2u);
  ASSERT_FALSE(asked.empty());
  for (const JobRequest& request : asked) {
    EXPECT_EQ(request.key, "eat:#");
    EXPECT_EQ(request.program, "eat");
    EXPECT_EQ(request.variant, "400");
    EXPECT_EQ(request.user, "1000");
    EXPECT_TRUE(request.measured);
  }
}

TEST_F(CoreMemory, ChargesTheExpectedPeakOfJobsThatHaveNotGrownYet) {
  EXPECT_EQ(submit({"large", "large"}).size(), 1u);
  const auto refused = refusal(2);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, RefusalCode::memory);
  EXPECT_EQ(refused->needs, 600 * static_cast<std::int64_t>(kMiB));
  EXPECT_EQ(refused->free, 300 * static_cast<std::int64_t>(kMiB));
  EXPECT_EQ(refused->total, 900 * static_cast<std::int64_t>(kMiB));
}

TEST_F(CoreMemory, SmallOnesPassALargeOneThatIsShort) {
  EXPECT_EQ(submit({"large", "large", "small", "small", "small", "small"}).size(), 4u);
}

TEST_F(CoreMemory, OneJobAlwaysRunsOnAnIdleHost) {
  see(100, 90);
  EXPECT_EQ(submit({"large", "small"}).size(), 1u);
}

TEST_F(CoreMemory, WhatOthersTakeIsNotGivenAway) {
  submit({"small"});
  see(1000, 500);
  EXPECT_TRUE(submit({"large"}).empty());
  see(1000, 200);
  EXPECT_EQ(core_.pass(at(1)).size(), 1u);
}

/// As the processes that `sluice build` holds, and their drivers, which have no job.
TEST_F(CoreMemory, ProcessesOfWaitingJobsCountAsOthersUntilTheyRunAndThenOnce) {
  const auto running = submit({"small", "large", "large"});
  ASSERT_EQ(running.size(), 2u);
  core_.measured(running[0].slot, holding(100), at(0));
  core_.measured(running[1].slot, holding(50), at(0));
  see(1000, 200);  // 30 in the process of the job that waits, 20 in its driver.
  EXPECT_EQ(core_.status(at(0)).memory->others, Bytes{50 * kMiB});
  EXPECT_EQ(core_.status(at(0)).memory->kept, Bytes{700 * kMiB});
  core_.finish(running[1].slot, Outcome::ok, at(1));
  const auto next = core_.pass(at(1));
  ASSERT_EQ(next.size(), 1u);
  core_.measured(next[0].slot, holding(30), at(1));
  see(1000, 150);
  EXPECT_EQ(core_.status(at(1)).memory->others, Bytes{20 * kMiB});
  EXPECT_EQ(core_.status(at(1)).memory->kept, Bytes{700 * kMiB});
}

TEST_F(CoreMemory, WhatOthersTakeIsNotTakenForTheUseOfJobsThatStartedAfterTheReading) {
  see(1000, 500);
  EXPECT_EQ(submit({"small", "small", "small", "small", "small", "small", "small", "small"}).size(),
            4u);
  see(1000, 900);
  EXPECT_TRUE(core_.pass(at(1)).empty());
}

TEST_F(CoreMemory, TheUseOfAnUnmeasuredJobIsChargedOnce) {
  submit({"large"});
  see(1000, 600);
  EXPECT_EQ(submit({"small", "small", "small"}).size(), 3u);
}

TEST_F(CoreMemory, AJobThatGrowsBeyondItsPredictionClosesTheGateForOthers) {
  const auto running = submit({"small"});
  core_.measured(running[0].slot, holding(500), at(0));
  EXPECT_TRUE(submit({"large"}).empty());
  core_.finish(running[0].slot, Outcome::ok, at(1));
  EXPECT_EQ(core_.pass(at(1)).size(), 1u);
}

TEST_F(CoreMemory, WhatIsLearnedCountsForRunningAndWaitingJobsAtOnce) {
  taught_.mebibytes.clear();
  taught_.mebibytes = {{"b", 400}};
  EXPECT_EQ(submit({"a"}).size(), 1u);
  taught_.mebibytes["a"] = 600;
  EXPECT_TRUE(submit({"b"}).empty());
  taught_.mebibytes["b"] = 200;
  EXPECT_EQ(core_.pass(at(1)).size(), 1u);
}

TEST_F(CoreMemory, CostsFollowWhatIsLearnedUntilAdmission) {
  Core core(fixed_window(15), taught_.model(), {}, at(0));
  core.submit(job("a"), at(0));
  core.submit(job("a"), at(0));
  EXPECT_EQ(core.pass(at(0)).size(), 1u);
  taught_.points = Points{5};
  const auto admitted = core.pass(at(1));
  ASSERT_EQ(admitted.size(), 1u);
  EXPECT_EQ(admitted[0].cost, Points{5});
  EXPECT_EQ(core.usage(), Points{15});
}

TEST_F(CoreMemory, TryAdmitKeepsToItToo) {
  auto first = core_.try_admit(job("large"), at(0));
  ASSERT_TRUE(std::holds_alternative<Admitted>(first));
  const auto second = core_.try_admit(job("large"), at(0));
  ASSERT_TRUE(std::holds_alternative<Refusal>(second));
  EXPECT_EQ(std::get<Refusal>(second).code, RefusalCode::memory);
  EXPECT_TRUE(std::holds_alternative<Admitted>(core_.try_admit(job("small"), at(0))));
}

TEST_F(CoreMemory, ADeclaredNeedComesBeforeAPredictedOne) {
  JobRequest declared = job("large");
  declared.memory = Bytes{100 * kMiB};
  submit({"large"});
  core_.submit(declared, at(0));
  EXPECT_EQ(core_.pass(at(0)).size(), 1u);
}

TEST_F(CoreMemory, StatusTellsWhatIsKeptAndForWhom) {
  submit({"large"});
  see(1000, 150);
  const auto memory = core_.status(at(0)).memory;
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->where, "/pod");
  EXPECT_EQ(memory->promised, Bytes{900 * kMiB});
  EXPECT_EQ(memory->kept, Bytes{600 * kMiB});
}

JobUsage reporting(std::uint64_t mebibytes) {
  JobUsage usage;
  usage.source = JobUsage::Source::reported;
  usage.memory = Bytes{mebibytes * kMiB};
  return usage;
}

TEST_F(CoreMemory, ReportsCountTogetherAtMostWhatIsUsedAndNotMeasured) {
  core_.submit(job("a"), at(0));
  core_.submit(job("b"), at(0));
  core_.submit(job("c"), at(0));
  const auto running = core_.pass(at(0));
  ASSERT_EQ(running.size(), 3u);
  core_.measured(running[0].slot, holding(100), at(0));
  see(1000, 200);
  for (int liar = 1; liar < 3; ++liar) {
    core_.measured(running[static_cast<std::size_t>(liar)].slot, reporting(1 << 24), at(0));
  }
  EXPECT_EQ(submit({"small", "small"}).size(), 2u) << "200 used, 100 of them a surprise";
  const Status status = core_.status(at(0));
  ASSERT_TRUE(status.memory);
  EXPECT_NEAR(static_cast<double>(status.memory->kept.value), 400.0 * kMiB, 10);
  EXPECT_NEAR(static_cast<double>(status.memory->others.value), 0, 10);
  const HeldMemory& held = status.queues[0].memory;
  EXPECT_EQ(held.measured, Bytes{100 * kMiB});
  EXPECT_EQ(held.reported, Bytes{100 * kMiB});
  EXPECT_EQ(held.unverified, 2u);
}

TEST_F(CoreMemory, AReportDoesNotOutliveTheFirstLookOfTheKernel) {
  const auto running = submit({"small"});
  core_.measured(running[0].slot, reporting(1 << 24), at(0));
  core_.measured(running[0].slot, holding(50), at(1));
  core_.measured(running[0].slot, holding(50), at(60));
  core_.submit(job("large"), at(70));
  EXPECT_EQ(core_.pass(at(70)).size(), 1u);
}

TEST_F(CoreMemory, DeclaringMoreThanTheMachineHasIsImpossible) {
  JobRequest request = job("a");
  request.memory = Bytes{1001 * kMiB};
  const auto refused = core_.submit(request, at(0));
  ASSERT_TRUE(std::holds_alternative<Refusal>(refused));
  EXPECT_EQ(std::get<Refusal>(refused).code, RefusalCode::impossible);
  EXPECT_EQ(to_sentence(std::get<Refusal>(refused)),
            "needs 1001.0 MiB of memory, and this machine has 1000.0 MiB");
  request.memory = Bytes{1000 * kMiB};
  EXPECT_TRUE(std::holds_alternative<Queued>(core_.submit(request, at(0))));
}

TEST_F(CoreMemory, WhoWaitsForMemoryIsToldWhichJobItIsKeptFor) {
  submit({"small", "large", "large"});
  const auto refused = refusal(3);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->ahead, JobId{2});
  const auto number = [](JobId id) { return std::to_string(id.value); };
  EXPECT_EQ(to_sentence(*refused, number),
            "needs 600.0 MiB of memory, 200.0 MiB of 900.0 MiB free; most is kept for job 2");
  EXPECT_EQ(core_.status(at(0)).memory->most, JobId{2});
}

TEST_F(CoreMemory, AJobThatWouldFitNamesTheJobOfAnotherQueueThatMemoryIsLeftFor) {
  GovernorOptions two = options();
  two.queueing.queues["default"].backfill = 0;
  two.queueing.queues["nightly"];
  core_ = Core(two, taught_.model(), {}, at(0));
  see(1000, 0);
  ASSERT_EQ(submit({"large", "large"}).size(), 1u);
  JobRequest small = job("small");
  small.queue = "nightly";
  core_.submit(small, at(1));
  ASSERT_TRUE(core_.pass(at(1)).empty());
  EXPECT_EQ(refusal(2)->code, RefusalCode::memory);
  EXPECT_EQ(refusal(3)->code, RefusalCode::behind);
  EXPECT_EQ(refusal(3)->ahead, JobId{2});
  EXPECT_EQ(refusal(3)->binding, refusal(2)->binding) << "it waits for memory all the same";
}

}  // namespace
}  // namespace sluice::memory_test
