// The predicted likelihood to block and its change with age: the worked examples, tables and tests
// of Ganeti's "Predictive Queue System". Both cores must match.
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

/// The lock classes of the document, with their sets.
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

/// The contribution of one level for a pending job against these running ones, in tenths.
template <typename AnyCore>
int level_value(const LevelLocks& pending, const std::vector<LevelLocks>& running) {
  Played<AnyCore> played(slots(static_cast<std::int64_t>(running.size())));
  for (const LevelLocks& holder : running) played.run(slot_job("runs", {holder}));
  played.submit(slot_job("waits", {pending}));
  return played.spv("waits") - 10;
}

/// SPV in tenths of a job against one running job.
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

JobRequest wanting_all_locks(const std::string& name) {
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
// level gives 0.3, which makes 6.3, and 7.3 with the base.
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

// V3, the worst of several. Running jobs without a lock count: {S} gives 0, {S, none} 0.3.
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
  EXPECT_EQ(spv(wanting_all_locks("p"), slot_job("r")), 160);
  EXPECT_EQ(spv(on_all_levels("p", "AllExclusive"), on_all_levels("r", "Shared")), 160);
  EXPECT_EQ(spv(on_all_levels("p", "AllExclusive"), slot_job("r")), 35);
  EXPECT_EQ(spv(slot_job("p"), on_all_levels("r", "AllExclusive")), 10);
  Played<TypeParam> idle(slots(1));
  idle.submit(wanting_all_locks("all"));
  idle.submit(on_all_levels("levels", "AllExclusive"));
  EXPECT_EQ(idle.spv("all"), 160);
  EXPECT_EQ(idle.spv("levels"), 10);
}

// Ganeti treats a running job with the global lock as one without locks. A job that waits for it is
// certain to block, so every pending job has the weight of a job that wants the lock.
TYPED_TEST(GanetiVectors, V4WhoeverWaitsBesideAGlobalLockWeighsTheMost) {
  EXPECT_EQ(spv_against<TypeParam>(slot_job("p"), wanting_all_locks("r")), 160);
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
  EXPECT_EQ(spv(wanting_all_locks("node_add"), startup("i1")), 160);
}

}  // namespace
}  // namespace sluice
