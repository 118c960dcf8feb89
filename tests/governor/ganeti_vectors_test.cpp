// The predicted likelihood to block, and what becomes of it with age: the worked examples, tables
// and tests of Ganeti's "Predictive Queue System", which both cores have to give.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

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
class GanetiVectors : public ::testing::Test {};
TYPED_TEST_SUITE(GanetiVectors, fakes::BothCores);

const std::vector<std::string> kLevels = ContentionOptions{}.levels;

/// The classes of the document, with their sets.
LevelLocks lock(const std::string& type, std::vector<std::string> names = {"a"},
                const std::string& level = "instance") {
  if (type == "Shared") return shared(level, std::move(names));
  if (type == "Exclusive") return exclusive(level, std::move(names));
  if (type == "UnknownShared") return whole(level, Whole::unknown_shared);
  if (type == "AllShared") return whole(level, Whole::all_shared);
  if (type == "UnknownExclusive") return whole(level, Whole::unknown_exclusive);
  if (type == "AllExclusive") return whole(level, Whole::all_exclusive);
  return whole(level, Whole::none);
}

/// What one level adds for a pending job against these running ones, in tenths.
template <typename AnyCore>
int level_value(const LevelLocks& pending, const std::vector<LevelLocks>& running) {
  Played<AnyCore> played(slots(static_cast<std::int64_t>(running.size())));
  for (const LevelLocks& holder : running) played.run(slot_job("runs", {holder}));
  played.submit(slot_job("waits", {pending}));
  return played.spv("waits") - 10;
}

/// SPV in tenths of a job against one that runs.
template <typename AnyCore>
int spv_against(const JobRequest& pending, const JobRequest& running) {
  Played<AnyCore> played(slots(1));
  played.run(running);
  played.submit(pending);
  return played.spv(pending.id);
}

JobRequest on_all_levels(const std::string& name, const std::string& type) {
  JobRequest job = slot_job(name);
  for (const std::string& level : kLevels) job.locks->push_back(lock(type, {"a"}, level));
  return job;
}

JobRequest wanting_all(const std::string& name) {
  JobRequest job = slot_job(name);
  job.global_lock = true;
  return job;
}

std::vector<std::vector<std::string>> read_csv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

// V1, the worked example. The slides print 6 for the second job; by their own table the instance
// level gives 0.3, which is 6.3, and 7.3 with the base.
template <typename AnyCore>
Played<AnyCore> worked_example() {
  Played<AnyCore> played(slots(2));
  played.run(
      slot_job("3", {exclusive("instance", {"inst2"}), whole("node_group", Whole::unknown_shared),
                     shared("node", {"node1"})}));
  played.run(slot_job("4", {shared("node_group", {"group1"}), shared("node", {"node2"}),
                            whole("node_resource", Whole::all_shared)}));
  played.submit(slot_job("2", {shared("instance", {"inst1"}), exclusive("node", {"node1"}),
                               exclusive("node_resource", {"node1"})}));
  played.submit(slot_job("1", {whole("node_group", Whole::all_shared)}));
  return played;
}

std::vector<int> tenths(const Explanation& explanation) {
  std::vector<int> values;
  for (const LevelWeight& level : explanation.levels) values.push_back(level.tenths);
  return values;
}

TYPED_TEST(GanetiVectors, V1WorkedExampleWeighs13And73AndStartsTheLighterFirst) {
  auto played = worked_example<TypeParam>();
  EXPECT_EQ(played.spv("1"), 13);
  EXPECT_EQ(played.spv("2"), 73);
  EXPECT_EQ(tenths(played.explain("1")), (std::vector<int>{3, 0, 0, 0, 0}));
  EXPECT_EQ(tenths(played.explain("2")), (std::vector<int>{0, 3, 30, 30, 0}));
  EXPECT_EQ(played.explain("2").levels[2].by, played.id("3"));
  EXPECT_EQ(played.explain("2").levels[3].by, played.id("4"));
  played.finish("3");
  EXPECT_EQ(played.pass(), (Names{"1"}));
}

TYPED_TEST(GanetiVectors, V1WeightsFollowWhatEnds) {
  auto played = worked_example<TypeParam>();
  played.finish("4");
  EXPECT_EQ(played.spv("1"), 13);
  EXPECT_EQ(played.spv("2"), 48);
  played.finish("3");
  EXPECT_EQ(played.spv("1"), 10);
  EXPECT_EQ(played.spv("2"), 10);
  EXPECT_EQ(played.pass(), (Names{"2", "1"})) << "equal weights: the order of arrival";
}

TYPED_TEST(GanetiVectors, V2EveryCellOfTheTable) {
  const auto rows = read_csv(SLUICE_SOURCE "/tests/governor/data/lock_table.csv");
  ASSERT_EQ(rows.size(), 8u);
  for (std::size_t row = 1; row < rows.size(); ++row) {
    ASSERT_EQ(rows[row].size(), 10u);
    for (std::size_t column = 1; column < rows[row].size(); ++column) {
      const std::string& heading = rows[0][column];
      const bool misses = heading.ends_with("(miss)");
      const std::string type = heading.substr(0, heading.find('('));
      const auto pending = lock(rows[row][0], {"a"});
      const auto running = lock(type, {misses ? "b" : "a"});
      EXPECT_EQ(level_value<TypeParam>(pending, {running}), std::stoi(rows[row][column]))
          << rows[row][0] << " against " << heading;
    }
  }
}

TYPED_TEST(GanetiVectors, V2SetsOfSeveralNamesCompareByIntersection) {
  const auto value = level_value<TypeParam>;
  EXPECT_EQ(value(lock("Shared", {"a", "b"}), {lock("Exclusive", {"b", "c"})}), 30);
  EXPECT_EQ(value(lock("Shared", {"a", "b"}), {lock("Exclusive", {"c"})}), 3);
  EXPECT_EQ(value(lock("Exclusive", {"a"}), {lock("Shared", {"a", "b"})}), 30);
  EXPECT_EQ(value(lock("Exclusive", {"a"}), {lock("Exclusive", {"b"})}), 5);
}

// V3, the worst of several. Running jobs without a lock count: {S} weighs 0, {S, none} 0.3.
TYPED_TEST(GanetiVectors, V3WorstOfSeveralRunningJobsCounts) {
  const LevelLocks none = lock("None"), sb = lock("Shared", {"b"}), eb = lock("Exclusive", {"b"}),
                   ea = lock("Exclusive"), ec = lock("Exclusive", {"c"}), sa = lock("Shared"),
                   us = lock("UnknownShared"), as = lock("AllShared"),
                   ue = lock("UnknownExclusive"), ae = lock("AllExclusive");
  const struct {
    LevelLocks pending;
    std::vector<LevelLocks> running;
    int tenths;
  } cases[] = {
      {sa, {}, 0},        {sa, {sb}, 0},      {sa, {sb, none}, 3},
      {sa, {eb}, 3},      {sa, {eb, ue}, 15}, {sa, {eb, ue, ea}, 30},
      {sa, {as}, 0},      {sa, {ae}, 30},     {us, {none}, 3},
      {us, {eb}, 15},     {us, {eb, ae}, 30}, {as, {sb, us, as, none}, 3},
      {as, {ue}, 30},     {ea, {none}, 5},    {ea, {us}, 15},
      {ea, {us, as}, 30}, {ea, {sb, ec}, 5},  {ea, {sb, ue}, 15},
      {ea, {sa}, 30},     {ue, {none}, 5},    {ue, {sb}, 15},
      {ue, {as}, 30},     {ue, {eb}, 15},     {ae, {none}, 5},
      {ae, {sb}, 30},     {none, {ae}, 0},    {none, {ea, us, none}, 0},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(level_value<TypeParam>(cases[i].pending, cases[i].running), cases[i].tenths)
        << "case " << i;
  }
}

TYPED_TEST(GanetiVectors, V4Bounds) {
  const auto spv = spv_against<TypeParam>;
  EXPECT_EQ(spv(wanting_all("p"), slot_job("r")), 160);
  EXPECT_EQ(spv(on_all_levels("p", "AllExclusive"), on_all_levels("r", "Shared")), 160);
  EXPECT_EQ(spv(on_all_levels("p", "AllExclusive"), slot_job("r")), 35);
  EXPECT_EQ(spv(slot_job("p"), on_all_levels("r", "AllExclusive")), 10);
  Played<TypeParam> idle(slots(1));
  idle.submit(wanting_all("all"));
  idle.submit(on_all_levels("levels", "AllExclusive"));
  EXPECT_EQ(idle.spv("all"), 160);
  EXPECT_EQ(idle.spv("levels"), 10);
}

// Ganeti takes a running job with the global lock for one without any; whoever waits for it is
// certain to block, so everybody weighs what wanting it weighs.
TYPED_TEST(GanetiVectors, V4WhoeverWaitsBesideAGlobalLockWeighsTheMost) {
  EXPECT_EQ(spv_against<TypeParam>(slot_job("p"), wanting_all("r")), 160);
}

JobRequest startup(const std::string& instance) {
  return slot_job("startup " + instance, {exclusive("instance", {instance}),
                                          whole("node_resource", Whole::unknown_exclusive)});
}

JobRequest shutdown(const std::string& instance) {
  return slot_job("shutdown " + instance, {exclusive("instance", {instance})});
}

TYPED_TEST(GanetiVectors, V5OpcodesOfGaneti) {
  const auto spv = spv_against<TypeParam>;
  EXPECT_EQ(spv(startup("i1"), shutdown("i1")), 45);
  EXPECT_EQ(spv(startup("i1"), shutdown("i2")), 20);
  EXPECT_EQ(spv(shutdown("i1"), startup("i2")), 15);
}

// The test of Ganeti's authors: from the lightest opcode to the heaviest.
TYPED_TEST(GanetiVectors, V5OpcodesAgainstARunningInstanceJob) {
  const auto spv = spv_against<TypeParam>;
  const JobRequest network_add = slot_job(
      "network_add", {whole("node_group", Whole::all_shared), exclusive("network", {"x"})});
  const JobRequest verify_disks =
      slot_job("verify_disks",
               {whole("node_group", Whole::all_shared), whole("instance", Whole::unknown_shared),
                whole("node", Whole::unknown_shared)});
  EXPECT_EQ(spv(slot_job("os_diagnose"), startup("i1")), 10);
  EXPECT_EQ(spv(network_add, startup("i1")), 18);
  EXPECT_EQ(spv(verify_disks, startup("i1")), 31);
  EXPECT_EQ(spv(wanting_all("node_add"), startup("i1")), 160);
}

/// Waits since 0 s with an SPV of 7.3 (the second job of V1), at `age` seconds.
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

// V6. Document and slides count whole ticks, Ganeti's code divides: the document holds, and a tick
// of one second gives the code's figures.
TYPED_TEST(GanetiVectors, V6WeightFallsByWholeTicksToNothing) {
  const std::vector<std::pair<double, double>> expected = {
      {0, 7.3},    {29, 7.3},      {30, 7.3 * 29 / 30}, {450, 3.65},
      {720, 1.46}, {750, 7.3 / 6}, {899, 7.3 / 30},     {900, 0},
      {1e9, 0},    {-5, 7.3}};
  for (const auto& [age, weight] : expected) {
    EXPECT_NEAR(weight_at<TypeParam>(age), weight, 1e-12) << age << " s";
  }
}

TYPED_TEST(GanetiVectors, V6TickOfASecondIsAsGoodAsContinuous) {
  ContentionOptions seconds;
  seconds.tick = std::chrono::seconds(1);
  seconds.aging_ticks = 900;
  EXPECT_NEAR(weight_at<TypeParam>(15, seconds), 7.3 * 885 / 900, 1e-12);
  EXPECT_NEAR(weight_at<TypeParam>(899, seconds), 7.3 / 900, 1e-12);
}

/// Who of an aged job and a fresh one takes the slot that falls free at `now`.
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

TYPED_TEST(GanetiVectors, V6AgedJobOvertakesFreshOnesAtItsTick) {
  const JobRequest heavy = slot_job("aged", {shared("instance", {"i"}), exclusive("node", {"n"}),
                                             exclusive("node_resource", {"n"})});
  const JobRequest light = slot_job("fresh", {whole("node_group", Whole::all_shared)});
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 720), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 749), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(heavy, light, 750), (Names{"aged"}));
  EXPECT_EQ(first_of<TypeParam>(wanting_all("aged"), slot_job("fresh"), 840), (Names{"fresh"}));
  EXPECT_EQ(first_of<TypeParam>(wanting_all("aged"), slot_job("fresh"), 870), (Names{"aged"}));
}

TYPED_TEST(GanetiVectors, V6SaturatedJobsGoByArrivalBeforeFreshOnes) {
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

/// The order in which jobs take one slot, one after the other.
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

// V7. Ganeti's priorities are low first, ours high first.
TYPED_TEST(GanetiVectors, V7PriorityThenWeightThenArrival) {
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

TYPED_TEST(GanetiVectors, V7WithoutContentionPriorityThenArrival) {
  GovernorOptions options = slots(1);
  options.queueing.contention.mode = ContentionMode::off;
  JobRequest urgent = slot_job("urgent");
  urgent.priority = 1;
  EXPECT_EQ(order_of<TypeParam>(options, {wanting_all("first"), slot_job("second"), urgent}),
            (Names{"urgent", "first", "second"}));
}

// V8. Ganeti weighs once and starts two that exclude each other; `batch` keeps that.
TYPED_TEST(GanetiVectors, V8JobsAreWeighedAfterEachStartUnlessInABatch) {
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

// V9. A job that is being changed holds its slot like any other; there is no third state.
TYPED_TEST(GanetiVectors, V9AsManyStartAsThereAreSlotsAndNeverLessThanNone) {
  GovernorOptions options = slots(20);
  Played<TypeParam> played(options);
  for (int i = 0; i < 19; ++i) played.run(slot_job("r" + std::to_string(i)));
  for (const char* name : {"p1", "p2"}) played.submit(slot_job(name));
  EXPECT_EQ(played.pass(), (Names{"p1"}));
  EXPECT_EQ(played.pass(), Names{});
}

TYPED_TEST(GanetiVectors, V9MoreThanThereAreSlotsStartsNothing) {
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

// V12. Ganeti reserves a slot for a job that it then drops, and starts neither.
TYPED_TEST(GanetiVectors, V12PausedJobTakesNoSlotOfItsBucket) {
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
// nobody is in is not unknown but empty. A bucket is overfull only after its rule was changed.
TYPED_TEST(GanetiVectors, V13OverfullBucketBlocksOnlyThoseInIt) {
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
