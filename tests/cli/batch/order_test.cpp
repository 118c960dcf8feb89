#include "cli/batch/order.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::cli {
namespace {
using std::chrono::seconds;
using Seqs = std::vector<std::size_t>;
using Verdict = BatchDependencies::Verdict;
using Changes = std::vector<std::pair<std::size_t, Verdict>>;

Seqs drained(BatchOrder& order) {
  Seqs seqs;
  while (const auto seq = order.next()) seqs.push_back(*seq);
  return seqs;
}

TEST(BatchOrder, TheLongestPredictedIsFirstWithinAPriority) {
  BatchOrder order(BatchOrder::By::longest);
  order.add(1, 0, seconds(1));
  order.add(2, 0, seconds(9));
  order.add(3, 5, seconds(2));
  order.add(4, 0, seconds(9));
  order.add(5, -1, seconds(99));
  EXPECT_EQ(drained(order), (Seqs{3, 2, 4, 1, 5}));
}

TEST(BatchOrder, AnUnknownOneCountsAsTheMeanOfTheKnown) {
  BatchOrder order(BatchOrder::By::longest);
  order.add(1, 0, std::nullopt);
  order.add(2, 0, seconds(2));
  order.add(3, 0, seconds(10));  // The mean is 6 s.
  order.add(4, 0, std::nullopt);
  EXPECT_EQ(drained(order), (Seqs{3, 1, 4, 2}));
}

TEST(BatchOrder, WithNothingKnownTheyGoAsTheyCame) {
  BatchOrder order(BatchOrder::By::longest);
  for (const std::size_t seq : {3, 1, 2}) order.add(seq, 0, std::nullopt);
  EXPECT_EQ(drained(order), (Seqs{1, 2, 3}));
}

TEST(BatchOrder, ByArrivalNoPredictionCounts) {
  BatchOrder order(BatchOrder::By::arrival);
  order.add(1, 0, seconds(1));
  order.add(2, 0, seconds(9));
  order.add(3, 1, std::nullopt);
  order.refresh([](std::size_t seq) { return std::optional<Duration>(seconds(seq)); });
  EXPECT_EQ(drained(order), (Seqs{3, 1, 2}));
}

TEST(BatchOrder, IsMadeAnewFromWhatWasLearned) {
  BatchOrder order(BatchOrder::By::longest);
  for (const std::size_t seq : {1, 2, 3}) order.add(seq, 0, std::nullopt);
  order.refresh([](std::size_t seq) { return std::optional<Duration>(seconds(seq)); });
  EXPECT_EQ(drained(order), (Seqs{3, 2, 1}));
}

TEST(BatchOrder, EveryJobComesOutOnceWhateverIsKnown) {
  std::mt19937 random(7);
  BatchOrder order(BatchOrder::By::longest);
  std::set<std::size_t> left;
  for (std::size_t seq = 1; seq <= 2000; ++seq) {
    const bool known = random() % 2 == 0;
    order.add(seq, static_cast<int>(random() % 3),
              known ? std::optional<Duration>(seconds(random() % 9)) : std::nullopt);
    left.insert(seq);
    if (random() % 3 == 0) {
      EXPECT_EQ(left.erase(*order.next()), 1u);
    }
  }
  for (const std::size_t seq : drained(order)) EXPECT_EQ(left.erase(seq), 1u);
  EXPECT_TRUE(left.empty());
}

TEST(BatchDependencies, AJobWaitsForAllThatItNames) {
  BatchDependencies jobs;
  EXPECT_EQ(jobs.add(1, {}, OnFailure::cancel), Verdict::ready);
  EXPECT_EQ(jobs.add(3, {"a", "b"}, OnFailure::cancel), Verdict::waits);
  EXPECT_EQ(jobs.done("a", true), Changes{});
  EXPECT_EQ(jobs.done("b", true), (Changes{{3, Verdict::ready}}));
  EXPECT_EQ(jobs.add(4, {"a", "b"}, OnFailure::cancel), Verdict::ready) << "both are done already";
  EXPECT_EQ(jobs.waiting(), 0u);
}

TEST(BatchDependencies, AFailureCancelsRunsOrHolds) {
  BatchDependencies jobs;
  jobs.add(2, {"a"}, OnFailure::cancel);
  jobs.add(3, {"a"}, OnFailure::run);
  jobs.add(4, {"a"}, OnFailure::hold);
  EXPECT_EQ(jobs.done("a", false),
            (Changes{{2, Verdict::cancel}, {3, Verdict::ready}, {4, Verdict::hold}}));
  EXPECT_EQ(jobs.waiting_jobs(), (Seqs{4}));
  EXPECT_EQ(jobs.add(5, {"a"}, OnFailure::cancel), Verdict::cancel);
  EXPECT_EQ(jobs.add(6, {"a"}, OnFailure::run), Verdict::ready);
  EXPECT_EQ(jobs.add(7, {"a"}, OnFailure::hold), Verdict::hold);
}

}  // namespace
}  // namespace sluice::cli
