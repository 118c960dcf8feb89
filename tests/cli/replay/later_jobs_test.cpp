#include "cli/replay/later_jobs.h"

#include <gtest/gtest.h>

#include "replay_helpers.h"

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

/// Jobs of 10 points that come at once as one batch, in a window for `at_once` of them; each takes
/// ten seconds.
ReplayBuilder batch_of(int jobs, int at_once, std::int64_t waiting, std::int64_t unfinished) {
  ReplayBuilder builder(10.0 * at_once);
  for (int number = 1; number <= jobs; ++number) {
    ScenarioJob& job = builder.job(0, "j" + std::to_string(number), 10);
    job.batch = "nightly";
    job.batch_waiting = waiting;
    job.batch_unfinished = unfinished;
  }
  return builder;
}

/// Each job with the time of its submission.
std::string submissions(const ReplayBuilder& builder) {
  const Replayed done = replay(builder);
  EXPECT_FALSE(done.error) << done.error->message;
  return lines_with(done.text, {"submitted"});
}

std::string submitted(const std::string& time, const std::string& job) {
  return R"({"t":)" + time + R"(,"event":"submitted","job":")" + job + "\"}\n";
}

TEST(LaterJobs, OfABatchComeWhileFewOfItWait) {
  EXPECT_EQ(submissions(batch_of(5, 1, 2, 0)),
            submitted("0.0", "j1") + submitted("0.0", "j2") + submitted("0.001", "j3") +
                submitted("10.001", "j4") + submitted("20.001", "j5"));
}

TEST(LaterJobs, OfABatchComeWhileFewOfItAreUnfinished) {
  EXPECT_EQ(submissions(batch_of(4, 4, 0, 2)), submitted("0.0", "j1") + submitted("0.0", "j2") +
                                                   submitted("10.001", "j3") +
                                                   submitted("10.001", "j4"));
}

TEST(LaterJobs, OfABatchComeWhenOneThatWaitsIsCancelled) {
  ReplayBuilder builder = batch_of(3, 1, 1, 0);
  builder.event(3, ScenarioEvent::Do::cancel, "j2");
  EXPECT_EQ(submissions(builder),
            submitted("0.0", "j1") + submitted("0.001", "j2") + submitted("3.001", "j3"));
}

TEST(LaterJobs, OfABatchCountTheOnesThatRunAndWaitAsTheScenarioBegins) {
  ReplayBuilder builder = batch_of(4, 1, 1, 0);
  builder.scenario.jobs[0].ran = 5s;
  builder.scenario.jobs[1].waited = 4s;
  EXPECT_EQ(submissions(builder),
            submitted("0.0", "j2") + submitted("10.001", "j3") + submitted("20.001", "j4"));
}

TEST(LaterJobs, OfAnotherBatchOrOfNoneAreNotHeldBack) {
  ReplayBuilder builder = batch_of(2, 1, 1, 1);
  ScenarioJob& other = builder.job(0, "other", 10);
  other.batch = "morning";
  other.batch_waiting = 1;
  builder.job(0, "alone", 10);
  EXPECT_EQ(submissions(builder), submitted("0.0", "j1") + submitted("0.0", "other") +
                                      submitted("0.0", "alone") + submitted("10.001", "j2"));
}

TEST(LaterJobs, MayFollowOneThatItsBatchHoldsBack) {
  ReplayBuilder builder = batch_of(2, 2, 0, 1);
  ScenarioJob& follower = builder.job(0, "follower", 1);
  follower.follows = "j2";
  follower.gap = 2s;
  EXPECT_EQ(submissions(builder),
            submitted("0.0", "j1") + submitted("10.001", "j2") + submitted("22.001", "follower"));
}

}  // namespace
}  // namespace sluice::cli
