#include "cli/whatif/batch_arrivals.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

When when(Duration at) { return {TimePoint{} + at, record::WallTime{} + at}; }

/// The jobs of a batch as a record has them, and the times at which they were ready to come.
class Recorded {
 public:
  explicit Recorded(std::int64_t waiting, std::int64_t unfinished = 0)
      : waiting_(waiting), unfinished_(unfinished) {}

  /// nullopt: not on record.
  Recorded& add(Duration at, std::optional<Duration> start, std::optional<Duration> end) {
    JobStory story;
    story.submitted = when(at);
    story.facts.batch = {batch_};
    story.facts.batch_waiting = waiting_;
    story.facts.batch_unfinished = unfinished_;
    if (start) story.start = {when(*start), {}};
    if (end) story.end = {when(*end), {}};
    ScenarioJob job;
    job.at = at;
    order_.place(story, {when(0s), when(100s), when(0s), when(100s)}, job);
    EXPECT_EQ(job.batch, batch_);
    EXPECT_EQ(job.batch_waiting, waiting_);
    EXPECT_EQ(job.batch_unfinished, unfinished_);
    ready.push_back(job.at);
    return *this;
  }
  void next_batch() { batch_ += "'"; }

  std::vector<Duration> ready;

 private:
  std::int64_t waiting_, unfinished_;
  std::string batch_ = "17";
  BatchArrivals order_;
};

using Times = std::vector<Duration>;

TEST(BatchArrivals, AJobThatCameAsSoonAsOneStartedWasReadyBefore) {
  Recorded recorded(2);
  recorded.add(1s, 1s, 9s).add(2s, 9s, 12s).add(3s, 12s, 14s).add(9s + 10ms, 14s, 15s);
  EXPECT_EQ(recorded.ready, (Times{1s, 2s, 3s, 3s}));
}

TEST(BatchArrivals, AJobThatCameLaterThanThereWasRoomWasNotReady) {
  Recorded recorded(1);
  recorded.add(1s, 4s, 9s).add(6s, 9s, 12s);
  EXPECT_EQ(recorded.ready, (Times{1s, 6s}));
}

TEST(BatchArrivals, JobsThatComeSlowlyOneByOneWereNotReadyBefore) {
  Recorded recorded(16, 2);
  recorded.add(1s, 1s, 1300ms).add(1500ms, 1500ms, 1800ms).add(2s, 2s, 2300ms);
  EXPECT_EQ(recorded.ready, (Times{1s, 1500ms, 2s}));
}

TEST(BatchArrivals, AJobThatCameAsSoonAsOneEndedWasReadyBeforeIfThatIsLimited) {
  Recorded recorded(16, 1);
  recorded.add(1s, 1s, 9s).add(9s, 9s, 12s).add(12s, 12s, 13s);
  EXPECT_EQ(recorded.ready, (Times{1s, 1s, 1s}));
}

TEST(BatchArrivals, OneThatWasCancelledMadeRoomAsItEnded) {
  Recorded recorded(1);
  recorded.add(1s, std::nullopt, 5s).add(5s, 9s, 12s);
  EXPECT_EQ(recorded.ready, (Times{1s, 1s}));
}

TEST(BatchArrivals, EachBatchHasItsOwn) {
  Recorded recorded(1);
  recorded.add(1s, 5s, 9s);
  recorded.next_batch();
  recorded.add(5s, 6s, 9s);
  EXPECT_EQ(recorded.ready, (Times{1s, 5s}));
}

TEST(BatchArrivals, OfTwoUsersAreTwo) {
  JobStory story;
  story.submitted = when(0s);
  story.facts.batch = {"17"};
  story.facts.batch_waiting = 1;
  BatchArrivals order;
  std::vector<std::string> batches;
  for (const std::uint32_t user : {0U, 1000U}) {
    story.facts.user = user;
    ScenarioJob job;
    order.place(story, {}, job);
    batches.push_back(job.batch);
  }
  EXPECT_EQ(batches, (std::vector<std::string>{"17 of user 0", "17 of user 1000"}));
}

TEST(BatchArrivals, WithoutLimitsIsNone) {
  JobStory story;
  story.facts.batch = {"17"};
  ScenarioJob job;
  BatchArrivals().place(story, {}, job);
  EXPECT_EQ(job.batch, "") << "the scenario could not be read";
}

TEST(BatchArrivals, AJobOfNoBatchStaysAsItIs) {
  ScenarioJob job;
  job.at = 4s;
  BatchArrivals().place(JobStory{}, {}, job);
  EXPECT_EQ(job.at, 4s);
  EXPECT_EQ(job.batch, "");
}

}  // namespace
}  // namespace sluice::cli
