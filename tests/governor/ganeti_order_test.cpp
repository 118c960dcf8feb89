// The order of a queue and its limits: Ganeti's aging, filters and rate limits as in its
// "Predictive Queue System". Both cores must match.
#include <gtest/gtest.h>

#include "vectors.h"

namespace sluice {
namespace {

using fakes::exclusive;
using fakes::Names;
using fakes::Played;
using fakes::shared;
using fakes::slot_job;
using fakes::slots;
using fakes::Whole;
using fakes::whole;

template <typename AnyCore>
class GanetiOrder : public ::testing::Test {};
TYPED_TEST_SUITE(GanetiOrder, fakes::BothCores);

JobRequest wanting_all(const std::string& name) {
  JobRequest job = slot_job(name);
  job.global_lock = true;
  return job;
}

/// The weight at `age` seconds of a job pending since 0 s with an SPV of 7.3 (the second job of
/// V1).
template <typename AnyCore>
double weight_at(double age, ContentionOptions contention = {}) {
  GovernorOptions options = slots(2);
  options.queueing.contention = std::move(contention);
  Played<AnyCore> played(options);
  played.run(slot_job("r", {shared("node", {"n"}), whole("node_resource", Whole::all_shared),
                            exclusive("instance", {"x"})}),
             -100);
  played.run(slot_job("s"), -100);
  played.submit(slot_job("p", {shared("instance", {"i"}), exclusive("node", {"n"}),
                               exclusive("node_resource", {"n"})}));
  EXPECT_EQ(played.spv("p"), 73);
  return played.explain("p", age).weight;
}

// V6. Document and slides count whole ticks, Ganeti's code divides. The document is authoritative;
// a tick of one second gives the code's figures.
TYPED_TEST(GanetiOrder, V6WeightFallsByWholeTicksToNothing) {
  const std::vector<std::pair<double, double>> expected = {
      {0, 7.3},    {29, 7.3},      {30, 7.3 * 29 / 30}, {450, 3.65},
      {720, 1.46}, {750, 7.3 / 6}, {899, 7.3 / 30},     {900, 0},
      {1e9, 0},    {-5, 7.3}};
  for (const auto& [age, weight] : expected) {
    EXPECT_NEAR(weight_at<TypeParam>(age), weight, 1e-12) << age << " s";
  }
}

TYPED_TEST(GanetiOrder, V6TickOfASecondIsAsGoodAsContinuous) {
  ContentionOptions seconds;
  seconds.tick = std::chrono::seconds(1);
  seconds.aging_ticks = 900;
  EXPECT_NEAR(weight_at<TypeParam>(15, seconds), 7.3 * 885 / 900, 1e-12);
  EXPECT_NEAR(weight_at<TypeParam>(899, seconds), 7.3 / 900, 1e-12);
}

/// The one of an aged and a fresh job that takes the slot released at `now`.
template <typename AnyCore>
Names first_of(const JobRequest& aged, const JobRequest& fresh, double now) {
  Played<AnyCore> played(slots(3));
  played.run(slot_job("r", {shared("node", {"n"}), whole("node_resource", Whole::all_shared),
                            shared("node_group", {"g"}), exclusive("instance", {"x"})}),
             -100);
  played.run(slot_job("s"), -100);
  played.run(slot_job("ends"), -100);
  played.submit(aged);
  played.submit(fresh, now);
  played.finish("ends", now);
  return played.pass(now);
}

TYPED_TEST(GanetiOrder, V6AgedJobOvertakesFreshOnesAtItsTick) {
  const JobRequest heavy = slot_job("aged", {shared("instance", {"i"}), exclusive("node", {"n"}),
                                             exclusive("node_resource", {"n"})});
  const JobRequest light = slot_job("fresh", {whole("node_group", Whole::all_shared)});
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 720), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 749), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 750), (Names{"aged"}));
  EXPECT_EQ(first_of<TypeParam>(wanting_all("aged"), slot_job("fresh"), 840), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(wanting_all("aged"), slot_job("fresh"), 870), (Names{"aged"}));
}

TYPED_TEST(GanetiOrder, V6SaturatedJobsGoByArrivalBeforeFreshOnes) {
  Played<TypeParam> played(slots(1));
  played.run(slot_job("r"), -100);
  played.submit(wanting_all("heavy"), 0);
  played.submit(slot_job("light"), 5);
  played.submit(slot_job("fresh"), 2000);
  Names order;
  for (int i = 0; i < 3; ++i) {
    played.finish(i == 0 ? "r" : order.back(), 2000);
    order.push_back(played.pass(2000).at(0));
  }
  EXPECT_EQ(order, (Names{"heavy", "light", "fresh"}));
}

/// The order in which jobs take one slot.
template <typename AnyCore>
Names order_of(GovernorOptions options, const std::vector<JobRequest>& jobs) {
  Played<AnyCore> played(std::move(options));
  played.run(slot_job("r", {whole("instance", Whole::all_exclusive)}), -100);
  for (const JobRequest& job : jobs) played.submit(job);
  played.finish("r", 0);
  Names order;
  for (Names started = played.pass(); !started.empty(); started = played.pass()) {
    order.push_back(started.at(0));
    played.finish(started.at(0));
  }
  return order;
}

// V7. In Ganeti the lowest priority goes first, here the highest.
TYPED_TEST(GanetiOrder, V7PriorityThenWeightThenArrival) {
  Played<TypeParam> played(slots(2));
  played.run(slot_job("r", {exclusive("instance", {"a"})}), -100);
  played.run(slot_job("ends"), -100);
  JobRequest urgent = wanting_all("urgent");
  urgent.priority = 10;
  played.submit(slot_job("first", {exclusive("instance", {"a"})}));
  played.submit(slot_job("second"));
  played.submit(slot_job("third"));
  played.submit(urgent);
  Names order{"ends"};
  for (int i = 0; i < 4; ++i) {
    played.finish(order.back());
    order.push_back(played.pass().at(0));
  }
  EXPECT_EQ(order, (Names{"ends", "urgent", "second", "third", "first"}));
}

TYPED_TEST(GanetiOrder, V7WithoutContentionPriorityThenArrival) {
  GovernorOptions options = slots(1);
  options.queueing.contention.mode = ContentionMode::off;
  JobRequest urgent = slot_job("urgent");
  urgent.priority = 1;
  EXPECT_EQ(order_of<TypeParam>(options, {wanting_all("first"), slot_job("second"), urgent}),
            (Names{"urgent", "first", "second"}));
}

// V8. Ganeti computes weights once and starts two jobs that exclude each other; `batch` does the
// same.
TYPED_TEST(GanetiOrder, V8JobsAreWeighedAfterEachStartUnlessInABatch) {
  for (const bool batch : {true, false}) {
    GovernorOptions options = slots(2);
    options.queueing.contention.batch = batch;
    Played<TypeParam> played(options);
    for (const auto& [name, instance] : {std::pair{"1", "a"}, {"2", "a"}, {"3", "b"}}) {
      played.submit(slot_job(name, {exclusive("instance", {instance})}));
    }
    EXPECT_EQ(played.pass(), batch ? (Names{"1", "2"}) : (Names{"1", "3"}));
  }
}

// V9. A job being changed holds its slot like any other; there is no third state.
TYPED_TEST(GanetiOrder, V9AsManyStartAsThereAreSlotsAndNeverLessThanNone) {
  GovernorOptions options = slots(20);
  Played<TypeParam> played(options);
  for (int i = 0; i < 19; ++i) played.run(slot_job("r" + std::to_string(i)));
  for (const char* name : {"p1", "p2"}) played.submit(slot_job(name));
  EXPECT_EQ(played.pass(), (Names{"p1"}));
  EXPECT_EQ(played.pass(), Names{});
}

TYPED_TEST(GanetiOrder, V9MoreThanThereAreSlotsStartsNothing) {
  Played<TypeParam> played(slots(25));
  for (int i = 0; i < 25; ++i) played.run(slot_job("r" + std::to_string(i)));
  if constexpr (std::is_same_v<TypeParam, Core>) {
    GovernorOptions fewer = slots(20);
    fewer.window.maximum = Points{20};
    played.reload(fewer);
  } else {
    played.core().set_size(Points{20});
  }
  played.submit(slot_job("p"));
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(played.pass(), Names{});
    played.finish("r" + std::to_string(i));
  }
  EXPECT_EQ(played.pass(), Names{});
  played.finish("r5");
  EXPECT_EQ(played.pass(), (Names{"p"}));
}

// V12. Ganeti reserves a slot for a job that it then drops, and starts neither job.
TYPED_TEST(GanetiOrder, V12PausedJobTakesNoSlotOfItsBucket) {
  GovernorOptions options = slots(10);
  RuleOptions pause;
  pause.id = "j1";
  pause.action = RuleOptions::Action::pause;
  options.queueing.rules = {pause};
  Played<TypeParam> played(options);
  for (const char* name : {"j1", "j2", "j3"}) {
    JobRequest job = slot_job(name);
    job.reasons = {"rate-limit:1:x"};
    played.submit(job);
  }
  EXPECT_EQ(played.pass(), (Names{"j2"}));
  EXPECT_EQ(played.refusal("j1")->code, RefusalCode::rule);
  EXPECT_EQ(played.refusal("j3")->code, RefusalCode::rate_limit);
  EXPECT_EQ(played.refusal("j3")->binding, "1:x");
}

// V13. Here a job takes one slot in each bucket it names, so {b:3} is three jobs, and a bucket that
// no job is in is empty, not unknown. A bucket is overfull only after its rule was changed.
TYPED_TEST(GanetiOrder, V13OverfullBucketBlocksOnlyThoseInIt) {
  GovernorOptions options = slots(100);
  RuleOptions rule;
  rule.key = "c";
  rule.action = RuleOptions::Action::rate_limit;
  rule.n = 10;
  options.queueing.rules = {rule};
  Played<TypeParam> played(options);
  const auto job = [](const std::string& name, std::vector<std::string> reasons) {
    JobRequest request = slot_job(name);
    request.reasons = std::move(reasons);
    request.key = name.substr(0, 1);
    return request;
  };
  for (int i = 0; i < 10; ++i) played.run(job("c" + std::to_string(i), {}));
  options.queueing.rules[0].n = 8;
  played.reload(options);
  played.run(job("r1", {"rate-limit:2:a"}));
  for (const char* name : {"r2", "r3"}) played.run(job(name, {"rate-limit:4:b"}));
  played.submit(job("c", {}));
  played.submit(job("both", {"rate-limit:2:a", "rate-limit:4:b"}));
  played.submit(job("full", {"rate-limit:2:a"}));
  played.submit(job("half", {"rate-limit:2:a", "rate-limit:4:b"}));
  EXPECT_EQ(played.pass(), (Names{"both"}));
  EXPECT_EQ(played.refusal("c")->binding, "rules[0]");
  EXPECT_EQ(played.refusal("half")->binding, "2:a");
}

}  // namespace
}  // namespace sluice
