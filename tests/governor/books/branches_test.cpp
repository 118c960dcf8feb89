// Queues that exist as long as they have jobs, such as that of one build.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fakes.h"

namespace sluice {
namespace {

using fakes::at;
using fakes::code_of;
using fakes::core_of;
using fakes::costing;
using fakes::fixed_window;

JobRequest in(const std::string& queue, int cost = 10, int priority = 0,
              const std::string& user = "") {
  JobRequest job = costing(cost, priority);
  job.queue = queue;
  job.user = user;
  return job;
}

std::vector<std::string> queues_of(const Core& core) {
  std::vector<std::string> names;
  for (const QueueStatus& queue : core.status(at(9)).queues) names.push_back(queue.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(CoreBranches, ABuildOfManyDoesNotHoldUpOneOfThree) {
  Core core = core_of(fixed_window(20));
  std::vector<Admitted> running;
  for (int job = 0; job < 10'000; ++job) core.submit(in("default/large"), at(0));
  for (const Admitted& each : core.pass(at(0))) running.push_back(each);
  ASSERT_EQ(running.size(), 2u);
  for (int job = 0; job < 3; ++job) core.submit(in("default/small"), at(5));
  // Each job that ends makes room for one: the small build is done when six have ended.
  std::size_t small = 0, ended = 0;
  while (small < 3 && ended < 10) {
    core.finish(running[ended++].slot, Outcome::ok, at(6));
    for (const Admitted& each : core.pass(at(6))) {
      running.push_back(each);
      small += each.id.value > 10'000 ? 1 : 0;
    }
  }
  EXPECT_EQ(small, 3u);
  EXPECT_LE(ended, 6u);
}

TEST(CoreBranches, CountTheirJobsThatHaveRun) {
  Core core = core_of(fixed_window(20));
  for (int job = 0; job < 4; ++job) core.submit(in("default/a"), at(0));
  core.submit(in("default/b"), at(0));
  for (const Admitted& each : core.pass(at(0))) core.finish(each.slot, Outcome::failed, at(1));
  core.pass(at(1));
  std::vector<std::pair<std::string, std::uint64_t>> ended;
  for (const QueueStatus& queue : core.status(at(9)).queues) {
    ended.emplace_back(queue.name, queue.ended);
  }
  const std::vector<std::pair<std::string, std::uint64_t>> expected{{"default", 0},
                                                                    {"default/a", 1}};
  EXPECT_EQ(ended, expected) << "one of each has run; of b no job is left";
}

TEST(CoreBranches, TakeTurnsWhateverTheirNumberOfJobs) {
  Core core = core_of(fixed_window(40));
  for (int job = 0; job < 9; ++job) core.submit(in("default/a"), at(0));
  for (int job = 0; job < 2; ++job) core.submit(in("default/b"), at(1));
  for (int job = 0; job < 2; ++job) core.submit(in("default"), at(2));
  std::vector<std::uint64_t> ids;
  for (const Admitted& each : core.pass(at(3))) ids.push_back(each.id.value);
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{1, 10, 12, 2}));
}

TEST(CoreBranches, OfAHigherPriorityGoFirst) {
  Core core = core_of(fixed_window(10));
  core.submit(in("default/background", 10, -10), at(0));
  core.submit(in("default/mine", 10, 0), at(5));
  const auto admitted = core.pass(at(6));
  ASSERT_EQ(admitted.size(), 1u);
  EXPECT_EQ(admitted[0].id, JobId{2});
}

TEST(CoreBranches, AreThereWhileTheyHaveJobs) {
  Core core = core_of(fixed_window(20));
  EXPECT_EQ(queues_of(core), Names{"default"});
  const auto job = std::get<Admitted>(core.try_admit(in("default/17"), at(0)));
  EXPECT_EQ(queues_of(core), (Names{"default", "default/17"}));
  core.finish(job.slot, Outcome::ok, at(1));
  EXPECT_EQ(queues_of(core), Names{"default"});
  core.submit(in("/18"), at(2));
  EXPECT_EQ(queues_of(core), (Names{"default", "default/18"}))
      << "of the queue of jobs that name none";
}

TEST(CoreBranches, OfAQueueThatDoesNotExistAreInvalid) {
  Core core = core_of(fixed_window(20));
  for (const char* name : {"nightly/17", "default/", "nightly"}) {
    EXPECT_EQ(code_of(core.try_admit(in(name), at(0))), RefusalCode::invalid) << name;
  }
}

TEST(CoreBranches, StandStillWithTheirQueue) {
  Core core = core_of(fixed_window(40));
  core.submit(in("default/before"), at(0));
  core.operate_queue("default", Switch::paused);
  core.submit(in("default/after"), at(0));
  EXPECT_TRUE(core.pass(at(1)).empty());
  core.operate_queue("default", Switch::running);
  EXPECT_EQ(core.pass(at(2)).size(), 2u);
}

TEST(CoreBranches, OfAPausedQueueNameTheQueueWhichIsResumed) {
  Core core = core_of(fixed_window(40));
  core.operate_queue("default", Switch::paused);
  const auto refused = core.try_admit(in("default/a"), at(0));
  ASSERT_EQ(code_of(refused), RefusalCode::queue_paused);
  EXPECT_EQ(std::get<Refusal>(refused).binding, "default");
  core.submit(in("default/a"), at(0));
  const auto queues = core.status(at(1)).queues;
  ASSERT_EQ(queues.size(), 2u);
  ASSERT_TRUE(queues[1].limiting);
  EXPECT_EQ(queues[1].name, "default/a");
  EXPECT_EQ(queues[1].limiting->binding, "default");
}

TEST(CoreBranches, TakeTheResourcesOfTheirQueue) {
  GovernorOptions options = fixed_window(100);
  options.queueing.resources["compilers"].total = 1;
  options.queueing.queues["default"].resources = {"compilers"};
  Core core = core_of(options);
  core.submit(in("default/a"), at(0));
  core.submit(in("default/b"), at(0));
  EXPECT_EQ(core.pass(at(1)).size(), 1u);
}

TEST(CoreBranches, AreLimitedPerUser) {
  Core core = core_of(fixed_window(10));
  for (int branch = 0; branch < 70; ++branch) {
    core.submit(in("default/" + std::to_string(branch), 10, 0, "1000"), at(0));
  }
  core.submit(in("default/0", 10, 0, "1001"), at(0));
  const auto names = queues_of(core);
  EXPECT_EQ(std::count(names.begin(), names.end(), "default/0"), 2) << "each user has its own";
  EXPECT_EQ(names.size(), 1u + 64 + 1);
  EXPECT_EQ(core.status(at(1)).queues[0].pending, 6u) << "the rest waits in the queue itself";
}

TEST(CoreBranches, OutliveAReload) {
  GovernorOptions options = fixed_window(10);
  Core core = core_of(options);
  core.submit(in("default/a"), at(0));
  core.pass(at(0));
  core.submit(in("default/a"), at(0));
  options.queueing.queues["nightly"] = {};
  core.reload(options, fakes::flat(10), {}, at(1));
  EXPECT_EQ(queues_of(core), (Names{"default", "default/a", "nightly"}));
  EXPECT_EQ(core.status(at(1)).queues[1].running, 1u);
  EXPECT_EQ(core.status(at(1)).queues[1].pending, 1u);
}

TEST(InternedNames, MadeUpFieldsDoNotFillTheMemory) {
  InternedNames many, long_ones;
  for (std::size_t field = 0; field < kMostInternedNames + 1000; ++field) {
    many.intern_field("resources." + std::to_string(field));
    long_ones.intern_field("locks." + std::string(1000, 'x') + std::to_string(field));
  }
  EXPECT_EQ(many.size(), kMostInternedNames + 1);
  EXPECT_EQ(many.intern_field("resources.another"), "resources");
  EXPECT_EQ(many.intern_field("resources.7"), "resources.7") << "known before";
  EXPECT_LT(long_ones.size(), kMostInternedBytes / 1000);
}

}  // namespace
}  // namespace sluice
