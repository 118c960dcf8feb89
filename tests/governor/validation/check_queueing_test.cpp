#include "governor/validation/check_queueing.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "governor/validation/check_options.h"

namespace sluice {
namespace {

using Templates = std::map<std::string, std::string>;

using Options = QueueingOptions;

Options good_queueing() {
  Options options;
  options.resources["db"].total = 4;
  options.resources["ports"].kind = ResourceOptions::Kind::discrete;
  options.resources["solo"].kind = ResourceOptions::Kind::highlander;
  options.queues["nightly"].resources = {"db", "solo"};
  KeyOptions& deploy = options.keys["deploy"];
  deploy.queue = "nightly";
  deploy.resources = {{"db", 2}, {"ports", 0}, {"solo", 1}};
  deploy.locks = Templates{{"node", "exclusive:{node}"}, {"instance", "unknown-shared"}};
  options.rules.resize(2);
  options.rules[1].action = RuleOptions::Action::rate_limit;
  options.rules[1].n = 1;
  return options;
}

/// The message of the check; empty if it passes.
std::string queueing_complaint(const Options& options) {
  try {
    check_queueing(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

struct QueueingRow {
  std::string says;  ///< Start of the message: the field, and its error.
  std::function<void(Options&)> spoil;
};

void expect_complaints(const std::vector<QueueingRow>& rows) {
  for (const QueueingRow& row : rows) {
    Options options = good_queueing();
    row.spoil(options);
    const std::string said = queueing_complaint(options);
    EXPECT_TRUE(said.starts_with(row.says)) << row.says << "\nbut it says\n" << said;
  }
}

TEST(CheckQueueing, TakesDefaultsAndAnythingInRange) {
  EXPECT_EQ(queueing_complaint({}), "");
  EXPECT_EQ(queueing_complaint(good_queueing()), "");
}

TEST(CheckQueueing, NamesTheFieldOfContention) {
  expect_complaints({
      {"contention.levels must be at most 16, not 17",
       [](auto& o) {
         o.contention.levels.clear();
         for (int i = 0; i < 17; ++i) o.contention.levels.push_back("l" + std::to_string(i));
       }},
      {"contention.levels has `node` twice",
       [](auto& o) {
         o.contention.levels = {"node", "instance", "node"};
       }},
      {"contention.levels has a name `a b`, which must not have",
       [](auto& o) { o.contention.levels.push_back("a b"); }},
      {"contention.tick must be above 0", [](auto& o) { o.contention.tick = Duration{0}; }},
      {"contention.aging_ticks must not be negative; is -1",
       [](auto& o) { o.contention.aging_ticks = -1; }},
      {"contention.base must be from 0 to 1000 tenths, not -1",
       [](auto& o) { o.contention.base_tenths = -1; }},
      {"contention.base must be from 0 to 1000 tenths, not 1001",
       [](auto& o) { o.contention.base_tenths = 1001; }},
      {"contention.batch needs contention.mode order",
       [](auto& o) {
         o.contention.batch = true;
         o.contention.mode = ContentionMode::hold;
       }},
      {"contention.batch needs contention.mode order",
       [](auto& o) {
         o.contention.batch = true;
         o.contention.mode = ContentionMode::off;
       }},
      {"contention.table.unknown-shared[8] must be from 0 to 1000 tenths, not 1001",
       [](auto& o) { o.contention.table.tenths[2][LockTable::all_exclusive] = 1001; }},
      {"contention.table.none[0] must be from 0 to 1000 tenths, not -1",
       [](auto& o) { o.contention.table.tenths[0][LockTable::none] = -1; }},
      {"contention.table.shared must not weigh a shared lock less",
       [](auto& o) { o.contention.table.tenths[1][LockTable::shared_miss] = 1; }},
      {"contention.table.exclusive must not weigh an exclusive lock less",
       [](auto& o) { o.contention.table.tenths[4][LockTable::exclusive_hit] = 4; }},
  });
}

TEST(CheckQueueing, NamesTheFieldOfAQueue) {
  expect_complaints({
      {"queues must have at least one queue", [](auto& o) { o.queues.clear(); }},
      {"queues has a name ``, which must not be empty", [](auto& o) { o.queues[""]; }},
      {"queues.nightly.resources names `bd`, which is not a resource manager; there are db, "
       "ports, ",
       [](auto& o) { o.queues["nightly"].resources = {"bd"}; }},
      {"queues.nightly.resources has `db` twice",
       [](auto& o) {
         o.queues["nightly"].resources = {"db", "db"};
       }},
      {"queues.nightly.backfill must not be negative; is -1",
       [](auto& o) { o.queues["nightly"].backfill = -1; }},
  });
}

TEST(CheckQueueing, NamesTheFieldOfAManager) {
  expect_complaints({
      {"resources has a name `a,b`, which must not have", [](auto& o) { o.resources["a,b"]; }},
      {"resources.db.total must not be negative; is -1",
       [](auto& o) { o.resources["db"].total = -1; }},
      {"resources.db.consumption must not be negative; is -1",
       [](auto& o) { o.resources["db"].consumption = -1; }},
      {"resources.ports.items has `p1` twice",
       [](auto& o) {
         o.resources["ports"].items = {"p1", "p2", "p1"};
       }},
      {"resources.ports.items has a name `p 1`, which must not have",
       [](auto& o) { o.resources["ports"].items = {"p 1"}; }},
      {"resources.solo.consumption has no meaning for a highlander",
       [](auto& o) { o.resources["solo"].consumption = 1; }},
  });
}

TEST(CheckQueueing, NamesTheFieldOfADefinition) {
  expect_complaints({
      {"keys.deploy.queue: there is no queue `nigthly`; there are default, nightly",
       [](auto& o) { o.keys["deploy"].queue = "nigthly"; }},
      {"keys.deploy.queue must not be empty", [](auto& o) { o.keys["deploy"].queue = ""; }},
      {"keys.deploy.nice: must be from -20 to 19, not 20",
       [](auto& o) { o.keys["deploy"].nice = 20; }},
      {"keys.deploy.priority: must be from -1000000 to 1000000, not 1000001",
       [](auto& o) { o.keys["deploy"].priority = 1'000'001; }},
      {"keys.deploy.inventory: must be from 0 to 1000000, not -1",
       [](auto& o) { o.keys["deploy"].inventory = -1; }},
      {"keys.deploy.cost must be at least 1 point",
       [](auto& o) { o.keys["deploy"].cost = Points{0}; }},
      {"keys.deploy.resources.gpu: there is no resource manager `gpu`",
       [](auto& o) { o.keys["deploy"].resources["gpu"] = 1; }},
      {"keys.deploy.resources.db: must be at least 0, not -1",
       [](auto& o) { o.keys["deploy"].resources["db"] = -1; }},
      {"keys.deploy.locks.floor: there is no lock level `floor`; there are node_group, instance, ",
       [](auto& o) { (*o.keys["deploy"].locks)["floor"] = "none"; }},
      {"keys.deploy.locks.node: has a { without its }",
       [](auto& o) { (*o.keys["deploy"].locks)["node"] = "exclusive:{node"; }},
      {"keys.deploy.locks.node: the mode must be none, ",
       [](auto& o) { (*o.keys["deploy"].locks)["node"] = "exklusive:a"; }},
  });
}

TEST(CheckQueueing, NamesTheRule) {
  expect_complaints({
      {"rules[1].n must be at least 1, not 0", [](auto& o) { o.rules[1].n = 0; }},
      {"rules[1].n must be at least 1, not -3", [](auto& o) { o.rules[1].n = -3; }},
  });
}

TEST(CheckQueueing, LimitsThemselvesAreAllowed) {
  Options options = good_queueing();
  options.contention.levels.clear();
  for (int i = 0; i < 15; ++i) options.contention.levels.push_back("l" + std::to_string(i));
  options.contention.levels.push_back(std::string(255, 'x'));
  options.keys.clear();
  options.contention.tick = Duration{1};
  options.contention.aging_ticks = 0;
  options.contention.base_tenths = 1000;
  options.contention.batch = true;
  for (auto& row : options.contention.table.tenths) row.fill(1000);
  options.resources["db"].total = 0;
  options.resources["db"].consumption = 0;
  options.resources["ports"].items.clear();
  options.queues["nightly"].backfill = 0;
  EXPECT_EQ(queueing_complaint(options), "");
}

TEST(CheckQueueing, IsPartOfTheCheckOfAllOptions) {
  GovernorOptions options;
  options.window.interval = std::chrono::seconds(1);
  options.queueing.queues.clear();
  const CostModel free = [](const JobRequest&) { return Points{1}; };
  EXPECT_THROW(check_options(options, {}, free), std::invalid_argument);
}

}  // namespace
}  // namespace sluice
