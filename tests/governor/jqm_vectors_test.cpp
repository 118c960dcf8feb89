// Queues, managers and tours: the cases of JQM's advanced queuing, from its documents and tests.
#include <gtest/gtest.h>

#include "vectors.h"

namespace sluice {
namespace {

using fakes::in_queue;
using fakes::Names;
using fakes::Played;
using fakes::slot_job;

template <typename AnyCore>
class JqmVectors : public ::testing::Test {};
TYPED_TEST_SUITE(JqmVectors, fakes::BothCores);

ResourceOptions quantity(std::int64_t total, Shortage shortage = Shortage::block) {
  ResourceOptions options;
  options.total = total;
  options.shortage = shortage;
  return options;
}

ResourceOptions highlander() {
  ResourceOptions options;
  options.kind = ResourceOptions::Kind::highlander;
  return options;
}

ResourceOptions discrete(std::vector<std::string> items) {
  ResourceOptions options;
  options.kind = ResourceOptions::Kind::discrete;
  options.items = std::move(items);
  return options;
}

/// JQM orders by priority and age alone, and has no window.
GovernorOptions jqm(std::vector<std::string> queues = {"default"}) {
  GovernorOptions options = fakes::slots(1000);
  options.queueing.contention.mode = ContentionMode::off;
  options.queueing.queues.clear();
  for (const std::string& queue : queues) options.queueing.queues[queue];
  return options;
}

GovernorOptions with_threads(std::int64_t count, Shortage shortage = Shortage::block) {
  GovernorOptions options = jqm();
  options.queueing.resources["thread"] = quantity(count, shortage);
  options.queueing.queues["default"].resources = {"thread"};
  return options;
}

// Q1. JQM refuses priorities outside 1 to 10; here every integer is valid. The default is 0, which
// is below 1 and so after all others, as with JQM.
TYPED_TEST(JqmVectors, Q1PriorityHighFirstThenAgeAndNoneIsLast) {
  Played<TypeParam> played(with_threads(1));
  played.run(slot_job("runs"), -10);
  JobRequest none = slot_job("none");
  none.priority.reset();
  played.submit(none, -5);
  const auto of = [](const char* name, int priority) {
    JobRequest job = slot_job(name);
    job.priority = priority;
    return job;
  };
  played.submit(of("p1", 1), 0);
  played.submit(of("p6 early", 6), 0.5);
  played.submit(of("p6 late", 6), 1);
  played.submit(of("p11", 11), 1);
  Names order{"runs"};
  for (int i = 0; i < 5; ++i) {
    played.finish(order.back(), 1);
    order.push_back(played.pass(1).at(0));
  }
  EXPECT_EQ(order, (Names{"runs", "p11", "p6 early", "p6 late", "p1", "none"}));
}

TYPED_TEST(JqmVectors, Q2AsManyRunAsTheQueueHasThreads) {
  Played<TypeParam> played(with_threads(3));
  for (const char* name : {"a", "b", "c", "d", "e"}) played.submit(slot_job(name));
  EXPECT_EQ(played.pass(), (Names{"a", "b", "c"}));
  EXPECT_EQ(played.refusal("d")->code, RefusalCode::resource);
  EXPECT_EQ(played.refusal("d")->binding, "thread");
  played.finish("a");
  EXPECT_EQ(played.pass(), (Names{"d"})) << "the next starts with the end of one, not with a poll";
  played.finish("b");
  EXPECT_EQ(played.pass(), (Names{"e"}));
}

TYPED_TEST(JqmVectors, Q3LargeRequestKeepsTheRestIdleUnlessItIsSkipped) {
  for (const Shortage shortage : {Shortage::block, Shortage::skip}) {
    Played<TypeParam> played(with_threads(2, shortage));
    played.submit(slot_job("single"));
    played.submit(in_queue("dual", "default", "thread", 2));
    played.submit(slot_job("third"));
    const bool block = shortage == Shortage::block;
    EXPECT_EQ(played.pass(), block ? (Names{"single"}) : (Names{"single", "third"}));
    played.finish("single");
    EXPECT_EQ(played.pass(), block ? (Names{"dual"}) : Names{});
  }
}

/// Queues A and B, and managers that jobs name themselves.
GovernorOptions two_queues(std::map<std::string, ResourceOptions> resources) {
  GovernorOptions options = jqm({"A", "B"});
  options.queueing.resources = std::move(resources);
  return options;
}

TYPED_TEST(JqmVectors, Q4ToursTakeOneJobOfEachQueueTheLongestWaitingFirst) {
  Played<TypeParam> played(two_queues({{"thread", quantity(3)}}));
  for (const char* name : {"b1", "b2"}) played.submit(in_queue(name, "B", "thread"), -20);
  for (const char* name : {"a1", "a2"}) played.submit(in_queue(name, "A", "thread"), -10);
  EXPECT_EQ(played.pass(), (Names{"b1", "a1", "b2"}));
  EXPECT_EQ(played.refusal("a2")->binding, "thread");
}

// Q5. As in JQM's document; its code sorts the queues in reverse.
TYPED_TEST(JqmVectors, Q5ManagerThatIsShortCountsAsFullForAllQueues) {
  for (const Shortage shortage : {Shortage::block, Shortage::skip}) {
    Played<TypeParam> played(two_queues({{"thread", quantity(5, shortage)}}));
    for (const char* name : {"a1", "a2"}) played.submit(in_queue(name, "A", "thread", 3), -20);
    for (const char* name : {"b1", "b2"}) played.submit(in_queue(name, "B", "thread", 1), -10);
    const bool block = shortage == Shortage::block;
    EXPECT_EQ(played.pass(), block ? (Names{"a1", "b1"}) : (Names{"a1", "b1", "b2"}));
  }
}

// Q6. As in JQM's document; its code ends the tour of all queues at the first refusal.
TYPED_TEST(JqmVectors, Q6ShortageOfOneManagerDoesNotEndOtherQueues) {
  Played<TypeParam> played(two_queues({{"x", quantity(2)}, {"y", quantity(2)}}));
  played.run(in_queue("holds", "A", "x"), -30);
  played.submit(in_queue("a1", "A", "x", 2), -20);
  for (const char* name : {"b1", "b2"}) played.submit(in_queue(name, "B", "y"), -10);
  EXPECT_EQ(played.pass(), (Names{"b1", "b2"}));
  EXPECT_EQ(played.refusal("a1")->binding, "x");
}

TYPED_TEST(JqmVectors, Q7JobThatIsShortOfOneManagerBooksNoneAndFillsOnlyThat) {
  Played<TypeParam> played(two_queues({{"x", quantity(1)}, {"y", quantity(1)}}));
  played.run(in_queue("holds", "A", "y"), -30);
  JobRequest both = in_queue("both", "A", "x");
  both.resources.push_back({"y", 1});
  played.submit(both, -20);
  played.submit(in_queue("needs y", "B", "y"), -10);
  EXPECT_EQ(played.pass(), Names{});
  EXPECT_EQ(played.refusal("both")->binding, "y");
  played.submit(in_queue("needs x", "B", "x"), 0);
  ASSERT_TRUE(played.core().cancel(played.id("needs y")));
  EXPECT_EQ(played.pass(), (Names{"needs x"}));
}

JobRequest keyed(const std::string& name, const std::string& key) {
  JobRequest job = slot_job(name);
  job.key = key;
  return job;
}

GovernorOptions with_highlander() {
  GovernorOptions options = jqm();
  options.queueing.resources["solo"] = highlander();
  options.queueing.queues["default"].resources = {"solo"};
  return options;
}

TYPED_TEST(JqmVectors, Q8HighlanderThatWaitsClogsNothing) {
  Played<TypeParam> played(with_highlander());
  played.run(keyed("h1", "h"));
  played.submit(keyed("h2", "h"));
  played.submit(keyed("n", "n"));
  EXPECT_EQ(played.pass(), (Names{"n"}));
  EXPECT_EQ(played.refusal("h2")->binding, "solo");
}

TYPED_TEST(JqmVectors, Q8ManySubmitsOfAHighlanderRunTwice) {
  Played<TypeParam> played(with_highlander());
  played.run(keyed("h0", "h"));
  for (int i = 1; i <= 100; ++i) {
    const auto queued = std::get<Queued>(played.submit(keyed("h" + std::to_string(i), "h")));
    EXPECT_EQ(queued.deduplicated, i > 1);
    EXPECT_EQ(queued.id, played.id("h1"));
  }
  EXPECT_EQ(played.pass(), Names{});
  played.finish("h0");
  EXPECT_EQ(played.pass(), (Names{"h1"}));
  played.finish("h1");
  EXPECT_EQ(played.pass(), Names{});
}

TYPED_TEST(JqmVectors, Q8TwoSubmitsBeforeTheStartAreOneJob) {
  Played<TypeParam> played(with_highlander());
  const auto first = std::get<Queued>(played.submit(keyed("h1", "h")));
  const auto second = std::get<Queued>(played.submit(keyed("h2", "h")));
  EXPECT_EQ(first.id, second.id);
  EXPECT_TRUE(second.deduplicated);
  EXPECT_EQ(played.pass(), (Names{"h1"}));
}

// Q10. JQM answers "too greedy, try others" or "empty, stop" depending on how much is left. Here
// `shortage` decides between the two, whatever is left.
TYPED_TEST(JqmVectors, Q10ShortIsShortHoweverMuchIsLeft) {
  const struct { std::int64_t total, held, asked; } cases[] = {{10, 7, 4}, {10, 10, 1}, {10, 9, 2}};
  for (const auto& each : cases) {
    Played<TypeParam> played(with_threads(each.total));
    played.run(in_queue("holds", "default", "thread", each.held));
    played.submit(in_queue("asks", "default", "thread", each.asked));
    played.submit(slot_job("behind"));
    EXPECT_EQ(played.pass(), Names{});
    const Refusal refusal = *played.refusal("asks");
    EXPECT_EQ(refusal.binding, "thread");
    EXPECT_EQ(refusal.needs, each.asked);
    EXPECT_EQ(refusal.free, each.total - each.held);
    EXPECT_EQ(refusal.total, each.total);
  }
}

TYPED_TEST(JqmVectors, Q10ItemsThatNobodyAsksForAreNeverShort) {
  GovernorOptions options = jqm();
  options.queueing.resources["ports"] = discrete({"p1", "p2", "p3"});
  options.queueing.queues["default"].resources = {"ports"};
  Played<TypeParam> played(options);
  played.run(in_queue("holds one", "default", "ports", 1));
  played.submit(slot_job("asks for none"));
  played.submit(in_queue("asks for three", "default", "ports", 3));
  EXPECT_EQ(played.pass(), (Names{"asks for none"}));
  EXPECT_EQ(played.refusal("asks for three")->free, 2);
  ASSERT_TRUE(played.core().cancel(played.id("asks for three")));
  played.run(in_queue("holds the rest", "default", "ports", 2));
  played.submit(slot_job("still none"));
  played.submit(in_queue("one more", "default", "ports", 1));
  EXPECT_EQ(played.pass(), (Names{"still none"}));
  EXPECT_EQ(played.refusal("one more")->free, 0);
}

TYPED_TEST(JqmVectors, Q11ShrunkManagerStartsNothingUntilItFits) {
  Played<TypeParam> played(with_threads(3));
  for (const char* name : {"a", "b", "c"}) played.run(slot_job(name));
  played.submit(slot_job("d"));
  played.reload(with_threads(1));
  EXPECT_EQ(played.pass(), Names{});
  EXPECT_EQ(played.refusal("d")->free, -2);
  for (const char* name : {"a", "b"}) {
    played.finish(name);
    EXPECT_EQ(played.pass(), Names{});
  }
  played.finish("c");
  EXPECT_EQ(played.pass(), (Names{"d"}));
}

TYPED_TEST(JqmVectors, Q11GrownManagerStartsAsManyMore) {
  Played<TypeParam> played(with_threads(1));
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) played.submit(slot_job(name));
  EXPECT_EQ(played.pass(), (Names{"a"}));
  played.reload(with_threads(5));
  EXPECT_EQ(played.pass(), (Names{"b", "c", "d", "e"}));
}

// Q12. JQM leaves such a job at the head of its queue for ever.
TYPED_TEST(JqmVectors, Q12RequestForMoreThanThereIsIsRefusedAtOnce) {
  Played<TypeParam> played(with_threads(10));
  const auto refusal =
      std::get<Refusal>(played.submit(in_queue("greedy", "default", "thread", 11)));
  EXPECT_EQ(refusal.code, RefusalCode::impossible);
  EXPECT_EQ(refusal.binding, "thread");
  EXPECT_TRUE(
      std::holds_alternative<Queued>(played.submit(in_queue("large", "default", "thread", 10))));
}

// Q14. With JQM a queue without a manager runs one job at a time, since nothing else could limit
// it; here the window does.
TYPED_TEST(JqmVectors, Q14QueueWithoutManagersIsBoundedByTheWindowAlone) {
  GovernorOptions options = jqm();
  options.window.initial = Points{3};
  Played<TypeParam> played(options);
  for (const char* name : {"a", "b", "c", "d"}) played.submit(slot_job(name));
  EXPECT_EQ(played.pass(), (Names{"a", "b", "c"}));
  EXPECT_EQ(played.refusal("d")->code, RefusalCode::window);
}

TYPED_TEST(JqmVectors, Q15PausedQueueStartsNothingAndWhatRunsGoesOn) {
  Played<TypeParam> played(two_queues({}));
  played.run(in_queue("runs", "A"));
  played.core().operate_queue("A", Switch::paused);
  played.submit(in_queue("a", "A"));
  played.submit(in_queue("b", "B"));
  EXPECT_EQ(played.pass(), (Names{"b"}));
  EXPECT_EQ(played.refusal("a")->code, RefusalCode::queue_paused);
  EXPECT_EQ(played.refusal("a")->binding, "A");
  EXPECT_EQ(played.core().running(), 2u);
  played.finish("runs");
  EXPECT_EQ(played.pass(), Names{});
  played.core().operate_queue("A", Switch::running);
  EXPECT_EQ(played.pass(), (Names{"a"}));
}

}  // namespace
}  // namespace sluice
