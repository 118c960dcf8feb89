#include "governor/pending_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace sluice {
namespace {

PendingJob job_of(std::uint64_t id, int priority, std::int64_t cost = 5) {
  PendingJob job;
  job.id = JobId{id};
  job.request.priority = priority;
  job.cost = Points{cost};
  return job;
}

std::vector<std::uint64_t> order_of(const PendingQueue& queue) {
  std::vector<std::uint64_t> ids;
  queue.for_each([&](const PendingJob& job) { ids.push_back(job.id.value); });
  return ids;
}

TEST(PendingQueue, OrdersByPriorityThenArrival) {
  PendingQueue queue;
  queue.add(job_of(1, 0));
  queue.add(job_of(2, 5));
  queue.add(job_of(3, -1));
  queue.add(job_of(4, 5));
  queue.add(job_of(5, 0));
  EXPECT_EQ(order_of(queue), (std::vector<std::uint64_t>{2, 4, 1, 5, 3}));
  EXPECT_EQ(queue.first()->id, JobId{2});
  EXPECT_EQ(queue.oldest()->id, JobId{1});
}

TEST(PendingQueue, ExtremePrioritiesKeepTheirOrder) {
  PendingQueue queue;
  queue.add(job_of(1, std::numeric_limits<int>::min()));
  queue.add(job_of(2, std::numeric_limits<int>::max()));
  queue.add(job_of(3, 0));
  EXPECT_EQ(order_of(queue), (std::vector<std::uint64_t>{2, 3, 1}));
}

TEST(PendingQueue, EmptyQueueHasNoFirstOldestOrCost) {
  PendingQueue queue;
  EXPECT_EQ(queue.first(), nullptr);
  EXPECT_EQ(queue.oldest(), nullptr);
  EXPECT_EQ(queue.find(JobId{1}), nullptr);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.cost(), Points{});
  EXPECT_FALSE(queue.remove(JobId{1}));
}

TEST(PendingQueue, RemoveTakesOutExactlyThatJob) {
  PendingQueue queue;
  queue.add(job_of(1, 0, 7));
  queue.add(job_of(2, 0, 11));
  const auto removed = queue.remove(JobId{1});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->cost, Points{7});
  EXPECT_EQ(queue.cost(), Points{11});
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_FALSE(queue.remove(JobId{1}));
  EXPECT_EQ(queue.first()->id, JobId{2});
}

TEST(PendingQueue, StaysSortedAndSummedThroughRandomChanges) {
  std::mt19937_64 random(7);
  PendingQueue queue;
  std::vector<PendingJob> model;
  for (std::uint64_t id = 1; id <= 3000; ++id) {
    const PendingJob job = job_of(id, static_cast<int>(random() % 5) - 2,
                                  static_cast<std::int64_t>(random() % 40 + 1));
    queue.add(job);
    model.push_back(job);
    if (random() % 3 != 0) {
      const std::size_t at = random() % model.size();
      EXPECT_TRUE(queue.remove(model[at].id));
      model.erase(model.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  std::stable_sort(model.begin(), model.end(), [](const auto& a, const auto& b) {
    return a.request.priority > b.request.priority;
  });
  Points cost;
  std::vector<std::uint64_t> ids;
  for (const PendingJob& job : model) {
    cost += job.cost;
    ids.push_back(job.id.value);
  }
  EXPECT_EQ(order_of(queue), ids);
  EXPECT_EQ(queue.cost(), cost);
  EXPECT_EQ(queue.size(), model.size());
}

}  // namespace
}  // namespace sluice
