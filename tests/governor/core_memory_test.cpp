#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::fixed_window;

constexpr std::uint64_t kMiB = 1 << 20;

JobRequest job(const std::string& key) {
  JobRequest request;
  request.key = key;
  request.measured = true;
  return request;
}

JobUsage holding(int mebibytes) {
  JobUsage usage;
  usage.memory = Bytes{static_cast<std::uint64_t>(mebibytes) * kMiB};
  return usage;
}

/// A model that can be taught: mebibytes by key, and points.
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

/// Jobs short of memory may be passed, as under the adaptive law.
GovernorOptions options() {
  GovernorOptions options = fixed_window(1000);
  options.queueing.queues["default"].backfill = kAdaptiveBackfill;
  return options;
}

class CoreMemory : public testing::Test {
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

/// Jobs of which nothing is known, 600 MiB each by the prior, but for small ones.
class CoreProbation : public testing::Test {
 protected:
  static CostModel model() {
    return [](const JobRequest& request) {
      Prediction prediction{Points{10}};
      prediction.memory = MemoryNeed{600.0 * kMiB, 0};
      if (request.key == "unsure") prediction.memory = MemoryNeed{600.0 * kMiB, 200.0 * kMiB};
      if (request.key == "small") prediction.memory = MemoryNeed{5.0 * kMiB, 100.0 * kMiB};
      prediction.rung = request.key == "known" ? Rung::key : Rung::prior;
      return prediction;
    };
  }
  CoreProbation() : core_(options(), model(), {}, at(0)) {
    core_.observe_memory({{"/pod", Bytes{1000 * kMiB}, Bytes{0}}});
  }
  std::vector<Admitted> submit(const std::string& key, int count) {
    for (int i = 0; i < count; ++i) {
      JobRequest request = job(key);
      request.suspendable = true;
      core_.submit(request, at(0));
    }
    return core_.pass(at(0));
  }

  Core core_;
};

TEST_F(CoreProbation, AnUnknownJobStartsOnAQuarterOfWhatItMayNeedIfItCanBeSuspended) {
  core_.observe_memory({{"/pod", Bytes{800 * kMiB}, Bytes{0}}});
  EXPECT_EQ(submit("unknown", 1).size(), 1u);
  core_.observe_memory({{"/pod", Bytes{830 * kMiB}, Bytes{0}}});
  EXPECT_EQ(submit("unknown", 1).size(), 0u) << "147 of 150 MiB";
  core_.observe_memory({{"/pod", Bytes{834 * kMiB}, Bytes{0}}});
  EXPECT_EQ(core_.pass(at(0)).size(), 1u);
}

TEST_F(CoreProbation, NobodyStartsOnItWhomNobodySuspends) {
  Core sure(options(), model(), {}, at(0));
  sure.observe_memory({{"/pod", Bytes{1000 * kMiB}, Bytes{0}}});
  sure.submit(job("unknown"), at(0));
  sure.submit(job("unknown"), at(0));
  EXPECT_EQ(sure.pass(at(0)).size(), 1u);
}

TEST_F(CoreProbation, ASmallJobMayStartIntoTheMargin) {
  submit("unsure", 1);
  EXPECT_EQ(submit("unknown", 1).size(), 0u);
  EXPECT_EQ(submit("small", 3).size(), 3u);
}

TEST_F(CoreProbation, ASmallJobMustFindRoomBesideTheMeans) {
  submit("unsure", 1);
  core_.observe_memory({{"/pod", Bytes{1000 * kMiB}, Bytes{899 * kMiB}}});
  EXPECT_EQ(submit("small", 1).size(), 0u);
}

TEST_F(CoreProbation, AKnownJobMustFitAsAWhole) { EXPECT_EQ(submit("known", 2).size(), 1u); }

TEST_F(CoreProbation, AnUnknownJobThatHasStoppedGrowingKeepsWhatItHolds) {
  const auto running = submit("unknown", 3);
  ASSERT_EQ(running.size(), 2u);
  for (const Admitted& each : running) core_.measured(each.slot, holding(2), at(0));
  EXPECT_TRUE(core_.pass(at(3.9)).empty());
  EXPECT_EQ(core_.pass(at(4)).size(), 1u);
}

TEST_F(CoreProbation, OneThatGrowsOnKeepsWhatItMayNeed) {
  const auto running = submit("unknown", 3);
  for (int second = 0; second < 4; ++second) {
    for (const Admitted& each : running) {
      core_.measured(each.slot, holding(100 * second), at(second));
    }
    EXPECT_TRUE(core_.pass(at(second)).empty()) << second;
  }
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

}  // namespace
}  // namespace sluice
