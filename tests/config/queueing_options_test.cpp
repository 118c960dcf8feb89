// Every key of contention, queues, resources, keys and rules sets its own option.
#include <gtest/gtest.h>

#include "config/effective.h"
#include "config_tests/parse.h"
#include "config_tests/yaml_writer.h"
#include "repetitions.h"

namespace sluice {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

QueueingOptions queueing_of(std::string_view text) { return config_of(text).governing.queueing; }

EffectiveValue queueing_value_at(const Config& config, const std::string& path) {
  for (EffectiveValue& value : effective_values(config)) {
    if (value.path == path) return value;
  }
  ADD_FAILURE() << "no " << path;
  return {};
}

TEST(QueueingOptions, AnEmptyFileHasOneQueueAndNothingElse) {
  for (const std::string text : {"", "queues: {}\nresources: {}\nkeys: {}\nrules: []\n",
                                 "queues:\nresources:\nkeys:\nrules:\ncontention:\n"}) {
    const QueueingOptions options = queueing_of(text);
    EXPECT_EQ(options.queues.size(), 1u);
    EXPECT_TRUE(options.queues.contains("default"));
    EXPECT_TRUE(options.resources.empty() && options.keys.empty() && options.rules.empty());
    EXPECT_EQ(options.contention.table, LockTable{});
  }
}

TEST(QueueingOptions, OfContention) {
  const ContentionOptions options =
      queueing_of(
          "contention: {mode: hold, levels: [repo, host], base: 0.5, tick: 1s, aging_ticks: 900, "
          "undeclared: all-exclusive, batch: false, boosts_priority: true}")
          .contention;
  EXPECT_EQ(options.mode, ContentionMode::hold);
  EXPECT_EQ(options.levels, (Texts{"repo", "host"}));
  EXPECT_EQ(options.base_tenths, 5);
  EXPECT_EQ(options.tick, 1s);
  EXPECT_EQ(options.aging_ticks, 900);
  EXPECT_EQ(options.undeclared, Undeclared::all_exclusive);
  EXPECT_FALSE(options.batch);
  EXPECT_TRUE(options.boosts_priority);
  EXPECT_TRUE(queueing_of("contention: {batch: true}").contention.batch);
}

TEST(QueueingOptions, OneWordIsTheModeOfContention) {
  EXPECT_EQ(queueing_of("contention: off").contention.mode, ContentionMode::off);
  EXPECT_EQ(queueing_of("contention: order").contention.mode, ContentionMode::order);
  const Config config = config_of("contention: hold");
  EXPECT_EQ(config.governing.queueing.contention.mode, ContentionMode::hold);
  EXPECT_EQ(config.given.at("contention.mode"), (ConfigPosition{1, 13}));
}

TEST(QueueingOptions, AgingMayBeOffAndAtOnce) {
  EXPECT_EQ(queueing_of("contention: {aging_ticks: off}").contention.aging_ticks, std::nullopt);
  EXPECT_EQ(queueing_of("contention: {aging_ticks: 0}").contention.aging_ticks, 0);
  EXPECT_EQ(queueing_value_at(config_of("contention: {aging_ticks: off}"), "contention.aging_ticks")
                .value,
            "off");
}

TEST(QueueingOptions, KeepTenthsExactly) {
  for (int tenths = 0; tenths <= repetitions(1000); ++tenths) {
    const std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
    EXPECT_EQ(queueing_of("contention: {base: " + text + "}").contention.base_tenths, tenths);
  }
}

TEST(QueueingOptions, RowsOfTheTableThatAreLeftOutKeepTheirDefault) {
  const LockTable table =
      queueing_of(
          "contention:\n  table:\n    shared: [0.1, 0.2, 0, 0.4, 0.5, 60, 0.7, 0.8, 100]\n    "
          "all-exclusive: [1, 2, 2, 4, 5, 6, 6, 8, 9]\n")
          .contention.table;
  LockTable expected;
  expected.tenths[1] = {1, 2, 0, 4, 5, 600, 7, 8, 1000};
  expected.tenths[6] = {10, 20, 20, 40, 50, 60, 60, 80, 90};
  EXPECT_EQ(table, expected);
}

TEST(QueueingOptions, OfQueues) {
  const Config config = config_of(
      "queues:\n  fast:\n  nightly: {resources: [db, ports], paused: true, backfill: 3}\n"
      "resources: {db: {}, ports: {kind: discrete}}\n");
  const auto& queues = config.governing.queueing.queues;
  ASSERT_EQ(queues.size(), 2u) << "those that are given are all there are";
  EXPECT_EQ(queues.at("nightly").resources, (Texts{"db", "ports"}));
  EXPECT_TRUE(queues.at("nightly").paused);
  EXPECT_EQ(queues.at("nightly").backfill, 3);
  EXPECT_FALSE(queues.at("fast").paused);
  EXPECT_FALSE(queues.at("fast").backfill);
  EXPECT_EQ(config.given.at("queues.nightly.resources[1]"), (ConfigPosition{3, 29}));
  EXPECT_EQ(queueing_value_at(config, "queues.fast.backfill"),
            (EffectiveValue{"queues.fast.backfill", "16", "default"}));
  EXPECT_EQ(queueing_value_at(config_of("window: {law: rfc}"), "queues.default.backfill"),
            (EffectiveValue{"queues.default.backfill", "0", "default for rfc"}));
}

TEST(QueueingOptions, OfResources) {
  using Kind = ResourceOptions::Kind;
  const auto resources =
      queueing_of(
          "resources:\n  db: {kind: quantity, total: 4, consumption: 2, shortage: skip}\n"
          "  ports: {items: [p2, p1], kind: discrete, consumption: 1, jqm_compatible: true}\n"
          "  solo: {kind: highlander, shortage: block}\n  plain: {total: 0}\n  bare:\n")
          .resources;
  ASSERT_EQ(resources.size(), 5u);
  EXPECT_EQ(resources.at("db").kind, Kind::quantity);
  EXPECT_EQ(resources.at("db").total, 4);
  EXPECT_EQ(resources.at("db").consumption, 2);
  EXPECT_EQ(resources.at("db").shortage, Shortage::skip);
  EXPECT_EQ(resources.at("ports").kind, Kind::discrete);
  EXPECT_EQ(resources.at("ports").items, (Texts{"p2", "p1"})) << "in the order they are given";
  EXPECT_EQ(resources.at("ports").consumption, 1);
  EXPECT_TRUE(resources.at("ports").jqm_compatible);
  EXPECT_EQ(resources.at("solo").kind, Kind::highlander);
  EXPECT_EQ(resources.at("solo").shortage, Shortage::block);
  EXPECT_EQ(resources.at("plain").kind, Kind::quantity);
  EXPECT_EQ(resources.at("plain").total, 0);
  EXPECT_EQ(resources.at("bare").total, 10);
  EXPECT_FALSE(resources.at("bare").consumption || resources.at("bare").shortage);
}

TEST(QueueingOptions, OfKeys) {
  const auto keys =
      queueing_of(
          "queues: {nightly: {}}\nresources: {db: {}, ports: {kind: discrete}}\n"
          "keys:\n  \"a.b c\": {queue: nightly, priority: -5, inventory: 2, nice: 10, cost: 15,\n"
          "    resources: {db: 2, ports: 0}, locks: {instance: \"exclusive:{vm},x shared:y\"},\n"
          "    global_lock: true}\n  free: {locks: {}}\n  plain: {}\n")
          .keys;
  ASSERT_EQ(keys.size(), 3u);
  const KeyOptions& key = keys.at("a.b c");
  EXPECT_EQ(key.queue, "nightly");
  EXPECT_EQ(key.priority, -5);
  EXPECT_EQ(key.inventory, 2);
  EXPECT_EQ(key.nice, 10);
  EXPECT_EQ(key.cost, Points{15});
  EXPECT_EQ(key.resources, (std::map<std::string, std::int64_t>{{"db", 2}, {"ports", 0}}));
  EXPECT_EQ(key.locks->at("instance"), "exclusive:{vm},x shared:y");
  EXPECT_TRUE(key.global_lock);
  EXPECT_TRUE(keys.at("free").locks && keys.at("free").locks->empty())
      << "locks nothing, and says so";
  EXPECT_FALSE(keys.at("plain").locks || keys.at("plain").queue || keys.at("plain").priority);
}

TEST(QueueingOptions, OfRulesInTheirOrder) {
  using Action = RuleOptions::Action;
  const Config config = config_of(
      "rules:\n  - {match: {key: \"lint-*\"}, do: rate_limit, n: 2}\n"
      "  - {match: {id: \"<12\", queue: q, reason: \"a b\"}, do: continue}\n"
      "  - {do: pause}\n  - {match: {}, do: reject}\n  - {match: , do: accept}\n");
  const auto& rules = config.governing.queueing.rules;
  ASSERT_EQ(rules.size(), 5u);
  EXPECT_EQ(rules[0].key, "lint-*");
  EXPECT_EQ(rules[0].action, Action::rate_limit);
  EXPECT_EQ(rules[0].n, 2);
  EXPECT_EQ(rules[1].id, "<12");
  EXPECT_EQ(rules[1].queue, "q");
  EXPECT_EQ(rules[1].reason, "a b");
  EXPECT_FALSE(rules[1].key);
  EXPECT_EQ(rules[1].action, Action::pass_on);
  EXPECT_EQ(rules[2].action, Action::pause);
  EXPECT_EQ(rules[3].action, Action::reject);
  EXPECT_EQ(rules[4].action, Action::accept);
  EXPECT_EQ(queueing_value_at(config, "rules[1].match.id"),
            (EffectiveValue{"rules[1].match.id", "\"<12\"", "f:3:18"}));
  EXPECT_EQ(queueing_value_at(config, "rules[2].do").origin, "f:4:10");
}

TEST(QueueingOptions, NamesOfAnyLettersComeBackAsTheyWere) {
  const std::string text =
      "queues: {\"a.b\": {paused: true}, on: {paused: true}, \"12\": {paused: true}, "
      "\"q\\\\\\\"[0]\": {paused: true}}\nkeys: {\"k: {x}\": {queue: \"a.b\"}}\n";
  const Config config = config_of(text);
  const Config again = config_of(write_yaml(effective_values(config)));
  EXPECT_EQ(again.governing.queueing.queues.size(), 4u);
  for (const std::string name : {"a.b", "on", "12", "q\\\"[0]"}) {
    ASSERT_TRUE(again.governing.queueing.queues.contains(name)) << name;
    EXPECT_TRUE(again.governing.queueing.queues.at(name).paused) << name;
  }
  EXPECT_EQ(again.governing.queueing.keys.at("k: {x}").queue, "a.b");
}

}  // namespace
}  // namespace sluice
