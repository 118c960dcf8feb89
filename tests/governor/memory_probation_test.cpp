// Jobs of which nothing is known start on a part of what they may need.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "memory_jobs.h"

namespace sluice::memory_test {
namespace {

/// Jobs without history, 600 MiB each by the prior, except for small ones.
class CoreProbation : public ::testing::Test {
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

}  // namespace
}  // namespace sluice::memory_test
