// The numbers of moved jobs, beside a search through all jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "governor/books/pending_queue.h"
#include "governor/books/queue_walk.h"
#include "sluice/locks.h"

namespace sluice {
namespace {

using Where = JobChange::Position::Where;

/// Jobs of two queues and two priorities, some of which have been moved.
class Moves : public ::testing::Test {
 protected:
  void come() {
    PendingJob job;
    job.arrival = ++last_;
    job.id = JobId{last_};
    job.order = {static_cast<std::int64_t>(last_), 0};
    job.queue = pick(2);
    job.priority = static_cast<std::int32_t>(pick(2));
    job.needs = pick(3);
    slots_.push_back(queue_.add(std::move(job)));
  }
  std::uint32_t pick(std::size_t count) { return static_cast<std::uint32_t>(random_() % count); }
  std::uint32_t any_job() { return slots_[pick(slots_.size())]; }

  std::optional<OrderNumber> searched(std::uint32_t slot, std::uint32_t queue, Where where,
                                      std::uint32_t of) const {
    std::optional<OrderNumber> below, above;
    const OrderNumber target = queue_[of].order;
    for (const std::uint32_t each : slots_) {
      if (each == slot || queue_[each].queue != queue) continue;
      const OrderNumber order = queue_[each].order;
      const bool is_below = where == Where::back || (where == Where::before && order < target) ||
                            (where == Where::after && order <= target);
      if (is_below) below = std::max(below.value_or(order), order);
      if (!is_below) above = std::min(above.value_or(order), order);
    }
    const OrderNumber own = queue_[slot].order;
    if ((!below || *below < own) && (!above || own < *above)) return own;
    return number_between(below, above);
  }

  const Contention contention_{ContentionOptions{}};
  PendingQueue queue_{Ranking{}, contention_};
  std::vector<std::uint32_t> slots_;
  std::uint64_t last_ = 0;
  std::mt19937 random_{1};
};

TEST_F(Moves, HaveTheNumbersThatASearchFinds) {
  // More than a chunk of a list.
  for (int job = 0; job < 6000; ++job) come();
  int moved = 0;
  for (int step = 0; step < 3000; ++step) {
    const std::uint32_t slot = any_job(), of = any_job(), queue = queue_[of].queue;
    if (slot == of) continue;
    const auto where = static_cast<Where>(pick(4));
    const auto number = queue_.number_at(slot, queue, where, of);
    ASSERT_EQ(number, searched(slot, queue, where, of)) << step;
    if (!number) continue;
    moved += *number == queue_[slot].order ? 0 : 1;
    queue_.update(slot, [&](PendingJob& job) {
      job.queue = queue;
      job.order = *number;
    });
  }
  EXPECT_GT(moved, 1000);
}

/// A name that very many jobs lock moves each of them to another strand of the same bucket.
TEST(MovedJobs, AreAllFoundAfterTheirLockHasBecomeHot) {
  constexpr std::uint64_t kJobs = 1100;
  const auto locks = parse_locks("node", "exclusive:n1");
  Contention contention{ContentionOptions{}};
  PendingQueue queue(Ranking{}, contention);
  for (std::uint64_t number = 1; number <= kJobs; ++number) {
    PendingJob job;
    job.id = JobId{number};
    job.arrival = number;
    job.order = {-static_cast<std::int64_t>(number), 1};
    job.locks = contention.learn(std::vector{std::get<LevelLocks>(locks)}, false);
    queue.add(std::move(job));
  }
  QueueWalk walk(queue, 0, TimePoint{});
  for (std::uint64_t number = kJobs; number > 0; --number) {
    const auto slot = walk.next();
    ASSERT_TRUE(slot) << number;
    EXPECT_EQ(queue[*slot].id, JobId{number});
  }
  EXPECT_FALSE(walk.next());
}

TEST_F(Moves, AnEmptyQueueKeepsTheNumber) {
  come();
  const std::uint32_t slot = slots_.front();
  EXPECT_EQ(queue_.number_at(slot, 7, Where::front, slot), queue_[slot].order);
  EXPECT_EQ(queue_.number_at(slot, queue_[slot].queue, Where::back, slot), queue_[slot].order);
}

}  // namespace
}  // namespace sluice
