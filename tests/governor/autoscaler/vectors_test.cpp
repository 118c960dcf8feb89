// The decisions of StarCluster's load balancer, and of `rules: starcluster`. Where they differ, the
// row names StarCluster's defect.
#include <gtest/gtest.h>

#include <optional>

#include "fleet.h"
#include "governor/autoscaler/names.h"

namespace sluice::testing {
namespace {

struct Vector {
  std::string name;
  Observation seen;
  AutoscaleOptions options = starcluster_options();
  std::optional<Duration> changed = {};  ///< Time since the last change.
  std::string theirs;
  std::string ours;
  std::string_view reason;
  std::string_view defect = {};  ///< StarCluster's; empty if both agree.
};

AutoscaleOptions with_add(int add) {
  AutoscaleOptions options = starcluster_options();
  options.add = add;
  return options;
}

AutoscaleOptions with_min(int min) {
  AutoscaleOptions options = starcluster_options();
  options.min = min;
  return options;
}

AutoscaleOptions with_kill_master() {
  AutoscaleOptions options = starcluster_options();
  options.kill_master = true;
  return options;
}

std::vector<QueuedJob> held(std::vector<QueuedJob> jobs) {
  for (QueuedJob& job : jobs) job.held = true;
  return jobs;
}

std::vector<Executor> busy_and_idle(int busy, int idle_ones, Duration up) {
  std::vector<Executor> executors = idle(nodes(busy + idle_ones), up);
  for (int i = 0; i < busy; ++i) executors[static_cast<std::size_t>(i)].used = 8;
  return executors;
}

constexpr std::string_view kFloor = "S2: fewer queued slots than one host has divide to no host";
constexpr std::string_view kDays = "S3: whole days are dropped from waiting times";
constexpr std::string_view kAhead = "S3: a time in the future reads as almost a day ago";
constexpr std::string_view kMixed = "S7: hosts with different slots end the balancer";
constexpr std::string_view kQueue = "S8: the last host goes although jobs wait";

std::vector<Vector> add_vectors() {
  std::vector<Executor> uneven = nodes(2);
  uneven[1].slots = uneven[1].used = 4;
  return {
      {"A1",
       seen(nodes(1), queue(10, 901s)),
       starcluster_options(),
       {},
       "add 1",
       "add 1",
       "waited"},
      {"A2", seen(nodes(1), queue(10, 900s)), starcluster_options(), {}, "none", "none", "young"},
      {"A3",
       seen(nodes(1), queue(3, 1000s)),
       starcluster_options(),
       {},
       "none",
       "add 1",
       "waited",
       kFloor},
      {"A4",
       seen(busy_and_idle(0, 1, 10min), queue(4, 5000s)),
       starcluster_options(),
       {},
       "none",
       "none",
       "fits"},
      {"A5", seen(nodes(1), queue(40, 1000s)), with_add(2), {}, "add 2", "add 2", "waited"},
      {"A6", seen(nodes(4), queue(40, 1000s)), with_add(2), {}, "add 1", "add 1", "waited"},
      {"A7", seen(nodes(5), queue(40, 1000s)), with_add(2), {}, "none", "none", "at_max"},
      {"A8", seen(nodes(1, 0), queue(1, 1s)), starcluster_options(), 5s, "add 1", "add 1",
       "no_slots"},
      {"A9 now", seen(nodes(1)), with_min(3), {}, "add 1", "add 1", "below_min"},
      {"A9 too soon", seen(nodes(2)), with_min(3), 179s, "none", "none", "not_stable"},
      {"A9 again", seen(nodes(2)), with_min(3), 180s, "add 1", "add 1", "below_min"},
      {"A10 too soon", seen(nodes(1), queue(10, 901s)), starcluster_options(), 179s, "none", "none",
       "not_stable"},
      {"A10 again", seen(nodes(1), queue(10, 901s)), starcluster_options(), 180s, "add 1", "add 1",
       "waited"},
      {"A11",
       seen(nodes(1), queue(10, 24h + 5min)),
       starcluster_options(),
       {},
       "none",
       "add 1",
       "waited",
       kDays},
      {"A12",
       seen(nodes(1), queue(10, -10s)),
       starcluster_options(),
       {},
       "add 1",
       "none",
       "young",
       kAhead},
      {"A13",
       seen(uneven, queue(10, 901s)),
       starcluster_options(),
       {},
       "crash",
       "add 1",
       "waited",
       kMixed},
      {"A13 with nothing to do",
       seen(uneven),
       starcluster_options(),
       {},
       "crash",
       "none",
       "none_due",
       kMixed},
      {"A14",
       seen(nodes(1), queue(1, 901s, 20)),
       starcluster_options(),
       {},
       "add 1",
       "add 1",
       "waited"},
      {"A15",
       seen(nodes(2), held(queue(40, 5000s))),
       starcluster_options(),
       {},
       "none",
       "none",
       "none_due"},
      {"A15 removes",
       seen(busy_and_idle(1, 1, 50min), held(queue(40, 5000s))),
       starcluster_options(),
       {},
       "remove node002",
       "remove node002",
       "idle"},
  };
}

std::vector<Vector> remove_vectors() {
  std::vector<Vector> vectors;
  struct Time {
    Duration up;
    bool goes;
  };
  for (const Time& time : {Time{44min, false},
                           {45min, true},
                           {59min, true},
                           {60min, false},
                           {104min, false},
                           {105min, true},
                           {24h + 45min, true}}) {
    const std::string action = time.goes ? "remove node002" : "none";
    vectors.push_back({"R1 " + std::to_string(time.up / 1min),
                       seen(busy_and_idle(1, 1, time.up)),
                       starcluster_options(),
                       {},
                       action,
                       action,
                       time.goes ? "idle" : "none_due"});
  }
  const std::vector<Vector> others{
      {"R2",
       seen(busy_and_idle(1, 3, 50min), queue(1, 1s)),
       starcluster_options(),
       {},
       "none",
       "none",
       "fits"},
      {"R3",
       seen(busy_and_idle(0, 5, 50min)),
       with_min(3),
       {},
       "remove node005 node004",
       "remove node005 node004",
       "idle"},
      {"R4 busy",
       seen(busy_and_idle(3, 0, 50min)),
       starcluster_options(),
       {},
       "none",
       "none",
       "none_due"},
      {"R4 master", seen(busy_and_idle(0, 1, 50min)), with_min(0), {}, "none", "none", "none_due"},
      {"R5", seen(busy_and_idle(1, 3, 50min)), starcluster_options(), 100s, "none", "none",
       "not_stable"},
      {"R6", seen(busy_and_idle(0, 3, 50min)), with_min(3), {}, "none", "none", "at_min"},
      {"R7",
       seen(busy_and_idle(1, 1, 50min)),
       starcluster_options(),
       {},
       "remove node002",
       "remove node002",
       "idle"},
      {"R8",
       seen(busy_and_idle(0, 1, 45min)),
       with_kill_master(),
       {},
       "remove node001",
       "remove node001",
       "done"},
      {"R8 with a job",
       seen(busy_and_idle(0, 1, 45min), queue(1, 1s)),
       with_kill_master(),
       {},
       "remove node001",
       "none",
       "fits",
       kQueue},
  };
  vectors.insert(vectors.end(), others.begin(), others.end());
  return vectors;
}

void expect_answers(const std::vector<Vector>& vectors) {
  for (const Vector& v : vectors) {
    AutoscaleState state = start_autoscaler(TimePoint{});
    if (v.changed) state = after_change(state, kNow - *v.changed);
    const ScaleDecision decision = decide(v.seen, state, v.options, kNow).decision;
    EXPECT_EQ(answer_of(decision), v.ours + ", " + std::string(v.reason)) << v.name;
    EXPECT_EQ(v.theirs == v.ours, v.defect.empty()) << v.name << ": a difference has a reason";
  }
}

TEST(AutoscalerVectors, Adding) { expect_answers(add_vectors()); }

TEST(AutoscalerVectors, Removing) { expect_answers(remove_vectors()); }

TEST(AutoscalerVectors, TheMostFrequentNumberOfSlotsSaysHowManyAreNeeded) {
  AutoscaleOptions options = starcluster_options(100);
  options.add = 100;
  std::vector<Executor> executors = nodes(4, 4);
  executors[0].slots = executors[0].used = 8;
  EXPECT_EQ(decide_now(seen(executors, queue(16, 901s)), options).add, 4) << "three have four";
  executors[1].slots = executors[1].used = 8;
  EXPECT_EQ(decide_now(seen(executors, queue(16, 901s)), options).add, 2) << "the larger on a tie";
  options.slots_each = 1;
  EXPECT_EQ(decide_now(seen(executors, queue(16, 901s)), options).add, 16);
}

TEST(AutoscalerVectors, TheStartIsAChange) {
  const Observation full = seen(nodes(1), queue(10, 901s));
  const AutoscaleState state = start_autoscaler(kNow);
  const AutoscaleOptions options = starcluster_options();
  EXPECT_EQ(answer_of(decide(full, state, options, kNow + 179s).decision), "none, not_stable");
  EXPECT_EQ(answer_of(decide(full, state, options, kNow + 180s).decision), "add 1, waited");
}

TEST(AutoscalerVectors, StabilityDoesNotEndEveryDay) {
  // S4: StarCluster looks unstable again for three minutes after each whole day.
  const AutoscaleState state = after_change(start_autoscaler(TimePoint{}), kNow);
  const Observation full = seen(nodes(1), queue(10, 901s));
  EXPECT_EQ(decide(full, state, starcluster_options(), kNow + 24h + 10s).decision.add, 1);
}

TEST(AutoscalerVectors, NamesOfNewExecutors) {
  using Names = std::vector<std::string>;
  const auto named = [](const Names& ids, int count) {
    std::vector<Executor> there;
    for (const std::string& id : ids) there.emplace_back().id = id;
    return name_executors(there, count);
  };
  EXPECT_EQ(named({"001", "003", "005"}, 1), (Names{"006"})) << "N1";
  EXPECT_EQ(named({"005", "001", "003"}, 2), (Names{"006", "007"})) << "N1";
  EXPECT_EQ(named({}, 1), (Names{"001"})) << "N2";
  EXPECT_EQ(named({"node001", "node009"}, 2), (Names{"node010", "node011"}));
  EXPECT_EQ(named({"node1000", "node999"}, 1), (Names{"node1001"})) << "S15: theirs reads 100";
  EXPECT_EQ(named({"master", "node002"}, 1), (Names{"node003"}));
  EXPECT_EQ(named({"master"}, 1), (Names{"001"}));
  EXPECT_EQ(named({"n99999999999999999999"}, 1), (Names{"001"})) << "too long to count on";
}

TEST(AutoscalerVectors, NaturalOrder) {
  const std::vector<std::string> order{"",         "1",       "01x",      "2",        "10",
                                       "a",        "a1",      "a2",       "a10",      "node999",
                                       "node1000", "rack2-9", "rack2-10", "rack10-1", "z"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < order.size(); ++j) {
      EXPECT_EQ(is_before_in_natural_order(order[i], order[j]), i < j)
          << order[i] << " " << order[j];
    }
  }
  EXPECT_NE(is_before_in_natural_order("n01", "n1"), is_before_in_natural_order("n1", "n01"));
}

}  // namespace
}  // namespace sluice::testing
