#include "governor/books/resources.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "governor/validation/check_request.h"

namespace sluice {
namespace {

using Kind = ResourceOptions::Kind;
using Managers = std::map<std::string, ResourceOptions>;
using Items = std::vector<std::string>;

ResourceOptions quantity(std::int64_t total, std::optional<std::int64_t> consumption = {}) {
  ResourceOptions options;
  options.total = total;
  options.consumption = consumption;
  return options;
}

ResourceOptions discrete(Items items) {
  ResourceOptions options;
  options.kind = Kind::discrete;
  options.items = std::move(items);
  return options;
}

ResourceOptions highlander() {
  ResourceOptions options;
  options.kind = Kind::highlander;
  return options;
}

/// Jobs of key "k" in a queue that lists no manager, by number.
struct Bench {
  explicit Bench(Managers managers) : resources(managers) {}

  std::vector<ResourceNeed> needs(std::vector<ResourceDemand> demands, std::string key = "k") {
    JobRequest job;
    job.key = std::move(key);
    job.resources = std::move(demands);
    return resources.needs_of(job, {});
  }
  Resources::Standing standing(const std::string& manager, std::int64_t amount) {
    return resources.standing(needs({{manager, amount}}).at(0), "k");
  }
  Items book(std::uint64_t id, const std::string& manager, std::int64_t amount) {
    held[id] = needs({{manager, amount}});
    const auto items = resources.book(held[id], "k", JobId{id});
    return items.empty() ? Items{} : items.front().items;
  }
  void release(std::uint64_t id) { resources.release(held.at(id), "k", JobId{id}); }
  ResourceStatus status(const std::string& manager) {
    for (const ResourceStatus& each : resources.status()) {
      if (each.key == manager) return each;
    }
    return {};
  }

  Resources resources;
  std::map<std::uint64_t, std::vector<ResourceNeed>> held;
};

TEST(Resources, HandsOutPortsLowestFirstAsVectorQ9Shows) {
  Bench bench({{"ports", discrete({"port01", "port02"})}});
  EXPECT_EQ(bench.book(1, "ports", 1), Items{"port01"});
  EXPECT_EQ(bench.book(2, "ports", 1), Items{"port02"});
  EXPECT_TRUE(bench.standing("ports", 1).is_short);
  bench.release(1);
  EXPECT_EQ(bench.book(3, "ports", 1), Items{"port01"});
  bench.release(2);
  bench.release(3);
  EXPECT_EQ(bench.book(4, "ports", 2), (Items{"port01", "port02"}));
  EXPECT_TRUE(bench.needs({{"ports", 0}}).empty());
}

TEST(Resources, LowestIsFirstOfTheConfigurationAndNotOfTheAlphabet) {
  Bench bench({{"ports", discrete({"z", "m", "a"})}});
  EXPECT_EQ(bench.book(1, "ports", 2), (Items{"z", "m"}));
  bench.release(1);
  EXPECT_EQ(bench.book(2, "ports", 3), (Items{"z", "m", "a"}));
}

struct HeldAnswer {
  ResourceOptions options;
  std::int64_t held, asked;
  bool is_short;
  std::int64_t free;
};

TEST(Resources, AreShortWhereVectorQ10SaysFailedOrExhausted) {
  const HeldAnswer answers[] = {
      {quantity(10), 7, 4, true, 3},         {quantity(10), 7, 3, false, 3},
      {quantity(10), 10, 1, true, 0},        {quantity(10, 2), 9, 2, true, 1},
      {quantity(10, 2), 9, 1, false, 1},     {discrete({"a", "b"}), 0, 3, true, 2},
      {discrete({"a", "b"}), 2, 1, true, 0},
  };
  for (const HeldAnswer& answer : answers) {
    Bench bench({{"m", answer.options}});
    bench.book(1, "m", answer.held);
    const Resources::Standing standing = bench.standing("m", answer.asked);
    EXPECT_EQ(standing.is_short, answer.is_short) << answer.held << " + " << answer.asked;
    EXPECT_EQ(standing.free, answer.free);
    EXPECT_EQ(standing.needs, answer.asked);
    EXPECT_EQ(standing.manager, "m");
    EXPECT_TRUE(standing.blocks);
  }
}

TEST(Resources, NothingStartsBelowWhatIsInUseAsVectorQ11Shows) {
  Bench bench({{"m", quantity(3)}});
  for (const std::uint64_t id : {1, 2, 3}) bench.book(id, "m", 1);
  bench.resources.reconfigure({{"m", quantity(1)}});
  EXPECT_EQ(bench.standing("m", 1).free, -2);
  EXPECT_EQ(bench.status("m").used, 3);
  bench.release(1);
  bench.release(2);
  EXPECT_TRUE(bench.standing("m", 1).is_short);
  bench.release(3);
  EXPECT_FALSE(bench.standing("m", 1).is_short);
  bench.resources.reconfigure({{"m", quantity(5)}});
  EXPECT_EQ(bench.standing("m", 5).free, 5);
  EXPECT_FALSE(bench.standing("m", 5).is_short);
}

TEST(Resources, ElevenOfTenAreImpossibleAsVectorQ12Shows) {
  Bench bench({{"m", quantity(10)}, {"ports", discrete({"a", "b"})}, {"solo", highlander()}});
  EXPECT_TRUE(bench.standing("m", 11).is_impossible);
  EXPECT_FALSE(bench.standing("m", 10).is_impossible);
  EXPECT_TRUE(bench.standing("ports", 3).is_impossible);
  EXPECT_FALSE(bench.standing("ports", 2).is_impossible);
  EXPECT_FALSE(bench.standing("solo", 1).is_impossible);
  bench.book(1, "m", 10);
  EXPECT_FALSE(bench.standing("m", 10).is_impossible) << "what is in use comes back";
}

struct Precedence {
  std::string name;
  std::optional<std::int64_t> manager, key, job;
  std::int64_t needed;
};

TEST(Resources, ConsumptionHasTheFourPrecedencesOfVectorQ13) {
  const Precedence rows[] = {
      {"the default of a quantity is 1", {}, {}, {}, 1},
      {"the manager's", 2, {}, {}, 2},
      {"the definition of the key", 2, 3, {}, 3},
      {"the job", 2, 3, 4, 4},
      {"a job may need nothing", 2, 3, 0, 0},
      {"a definition may", 2, 0, {}, 0},
      {"a manager may", 0, {}, {}, 0},
      {"the job alone", {}, {}, 4, 4},
  };
  for (const Precedence& row : rows) {
    QueueingOptions options;
    options.resources["m"] = quantity(10, row.manager);
    options.queues["default"].resources = {"m"};
    if (row.key) options.keys["k"].resources["m"] = *row.key;
    JobRequest job;
    job.key = "k";
    if (row.job) job.resources = {{"m", *row.job}};
    const Resources resources(options.resources);
    const auto needs = resources.needs_of(complete(options, job), options.queues["default"]);
    EXPECT_EQ(needs.size(), row.needed > 0 ? 1u : 0u) << row.name;
    for (const ResourceNeed& need : needs) EXPECT_EQ(need.amount, row.needed) << row.name;
  }
}

TEST(Resources, DiscreteManagersThatAQueueListsNeedNoItemUnlessTheySaySo) {
  ResourceOptions two = discrete({"a", "b", "c"});
  two.consumption = 2;
  const Resources resources({{"none", discrete({"a"})}, {"two", two}});
  QueueOptions queue;
  queue.resources = {"two", "none"};
  const auto needs = resources.needs_of({}, queue);
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_EQ(resources.standing(needs[0], "").manager, "two");
  EXPECT_EQ(needs[0].amount, 2);
}

TEST(Resources, NeedsOfQueueAndJobComeTogetherOnceSortedByNumber) {
  const Resources resources({{"a", quantity(9)}, {"b", quantity(9)}, {"c", quantity(9)}});
  QueueOptions queue;
  queue.resources = {"c", "a"};
  JobRequest job;
  job.resources = {{"b", 5}, {"a", 2}};
  EXPECT_EQ(resources.needs_of(job, queue), (std::vector<ResourceNeed>{{0, 2}, {1, 5}, {2, 1}}));
}

TEST(Resources, OneJobOfAKeyRunsAtATime) {
  Bench bench({{"solo", highlander()}});
  const auto need = bench.needs({{"solo", 1}}).at(0);
  EXPECT_TRUE(bench.resources.is_highlander(need.manager));
  bench.book(1, "solo", 1);
  const Resources::Standing same = bench.resources.standing(need, "k");
  EXPECT_TRUE(same.is_short);
  EXPECT_FALSE(same.blocks) << "a highlander is passed over";
  EXPECT_EQ(same.free, 0);
  EXPECT_EQ(same.total, 1);
  EXPECT_FALSE(bench.resources.standing(need, "another").is_short);
  bench.release(1);
  EXPECT_FALSE(bench.resources.standing(need, "k").is_short);
  EXPECT_EQ(bench.status("solo").total, 0);
}

TEST(Resources, AJobWithoutAKeyHasAHighlanderOfItsOwn) {
  Bench bench({{"solo", highlander()}});
  EXPECT_TRUE(bench.needs({{"solo", 1}}, "").empty());
}

TEST(Resources, ShortageIsAsTheManagerSays) {
  ResourceOptions skips = quantity(1), blocks = highlander();
  skips.shortage = Shortage::skip;
  blocks.shortage = Shortage::block;
  Bench bench({{"skips", skips}, {"blocks", blocks}});
  EXPECT_FALSE(bench.standing("skips", 1).blocks);
  EXPECT_TRUE(bench.standing("blocks", 1).blocks);
}

TEST(Resources, StatusSaysWhatIsHeldByKey) {
  Bench bench({{"ports", discrete({"a", "b"})}, {"db", quantity(4)}});
  bench.book(1, "ports", 1);
  bench.book(2, "db", 3);
  const auto status = bench.resources.status();
  ASSERT_EQ(status.size(), 2u);
  EXPECT_EQ(status[0].key, "db");
  EXPECT_EQ(status[0].used, 3);
  EXPECT_EQ(status[0].total, 4);
  EXPECT_EQ(status[1].key, "ports");
  EXPECT_EQ(status[1].kind, Kind::discrete);
  EXPECT_EQ(status[1].used, 1);
  EXPECT_EQ(status[1].total, 2);
}

}  // namespace
}  // namespace sluice
