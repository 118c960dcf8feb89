#include "cli/batch/table.h"

#include <gtest/gtest.h>

namespace sluice::cli {
namespace {
using std::chrono::seconds;
using Words = std::vector<std::string>;

BatchJob job(std::size_t seq, const std::string& id, Words after = {},
             OnFailure on_failure = OnFailure::cancel) {
  BatchJob job;
  job.seq = seq;
  job.request.id = id;
  job.request.on_failure = on_failure;
  job.after = std::move(after);
  return job;
}

BatchTable::Expect nothing() {
  return [](const JobRequest&) { return std::nullopt; };
}

bool ended_ok(const BatchJob&) { return true; }
bool ended_badly(const BatchJob&) { return false; }

std::vector<std::size_t> seqs(const BatchTable::Dropped& dropped) {
  std::vector<std::size_t> seqs;
  for (const auto& [job, why] : dropped) seqs.push_back(job.seq);
  return seqs;
}

std::size_t next(BatchTable& table) {
  const TrackedJob* next = table.next();
  return next ? next->job.seq : 0;
}

TEST(BatchTable, AJobComesAfterThoseItNames) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.add(job(1, "a"), TimePoint{});
  table.add(job(2, "b", {"a"}), TimePoint{});
  EXPECT_EQ(next(table), 1u);
  EXPECT_EQ(next(table), 0u) << "2 waits for 1, which runs";
  table.done(1, true, TimePoint{});
  EXPECT_EQ(next(table), 2u);
  table.done(2, true, TimePoint{});
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.counts().succeeded, 2u);
}

TEST(BatchTable, AJobWaitsForAdmissionFromTheEndOfTheLastJobItNames) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.add(job(1, "a"), TimePoint{});
  table.add(job(2, "b", {"a"}), TimePoint{});
  next(table);
  table.done(1, true, TimePoint(seconds(3)));
  EXPECT_EQ(table.at(2).ready, TimePoint(seconds(3)));
}

TEST(BatchTable, AJobThatRunsAgainKeepsTheOthersWaiting) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.add(job(1, "a"), TimePoint{});
  table.add(job(2, "b", {"a"}), TimePoint{});
  next(table);
  table.enqueue(1, TimePoint(seconds(5)));
  EXPECT_EQ(table.at(1).ready, TimePoint(seconds(5)));
  EXPECT_EQ(next(table), 1u);
  EXPECT_EQ(next(table), 0u);
}

TEST(BatchTable, AFailureTakesTheWholeChainWithIt) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.add(job(1, "a"), TimePoint{});
  table.add(job(2, "b", {"a"}), TimePoint{});
  table.add(job(3, "c", {"b"}), TimePoint{});
  table.add(job(4, "d", {"c"}, OnFailure::run), TimePoint{});
  next(table);
  EXPECT_EQ(seqs(table.done(1, false, TimePoint{})), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(next(table), 4u) << "it runs whatever becomes of c";
  EXPECT_EQ(table.counts().failed, 1u) << "what was not run has not failed";
  EXPECT_EQ(seqs(table.add(job(5, "e", {"b"}), TimePoint{})), (std::vector<std::size_t>{5}));
}

TEST(BatchTable, WhatIsHeldIsGivenUpAtTheEnd) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.add(job(1, "a"), TimePoint{});
  table.add(job(2, "b", {"a"}, OnFailure::hold), TimePoint{});
  next(table);
  EXPECT_TRUE(table.done(1, false, TimePoint{}).empty());
  EXPECT_EQ(table.waiting(), 1u);
  const auto dropped = table.give_up();
  ASSERT_EQ(seqs(dropped), (std::vector<std::size_t>{2}));
  EXPECT_EQ(dropped[0].second, "held, not run: a job it depends on did not succeed");
}

TEST(BatchTable, WhatAnEarlierBatchDidCountsForThoseAfterIt) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_ok);
  table.skip(job(1, "a"));
  table.add(job(2, "b", {"a"}), TimePoint{});
  EXPECT_EQ(next(table), 2u);
  EXPECT_EQ(table.counts().known, 1u);
}

TEST(BatchTable, AFailureInAnEarlierBatchTakesTheWholeChainWithItToo) {
  BatchTable table(BatchOrder::By::longest, nothing(), ended_badly);
  table.skip(job(1, "a"));
  EXPECT_EQ(seqs(table.add(job(2, "b", {"a"}), TimePoint{})), (std::vector<std::size_t>{2}));
  EXPECT_EQ(seqs(table.add(job(3, "c", {"b"}), TimePoint{})), (std::vector<std::size_t>{3}));
  table.add(job(4, "d", {"a"}, OnFailure::hold), TimePoint{});
  table.add(job(5, "e", {"a"}, OnFailure::run), TimePoint{});
  EXPECT_EQ(next(table), 5u) << "it runs whatever became of a";
  EXPECT_EQ(next(table), 0u);
  EXPECT_EQ(seqs(table.give_up()), (std::vector<std::size_t>{4}));
}

TEST(BatchTable, TheOrderFollowsWhatWasLearned) {
  seconds third{1};
  BatchTable table(
      BatchOrder::By::longest,
      [&](const JobRequest& request) {
        return std::optional<Duration>(request.id == "c" ? third : seconds(5));
      },
      ended_ok);
  for (const std::size_t seq : {1, 2, 3}) {
    table.add(job(seq, std::string(1, static_cast<char>('`' + seq))), TimePoint{});
  }
  EXPECT_EQ(next(table), 1u);
  third = seconds(9);
  table.refresh();
  EXPECT_EQ(next(table), 3u);
}

}  // namespace
}  // namespace sluice::cli
