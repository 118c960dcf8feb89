// The exact text and position of errors in contention, queues, resources, keys and rules.
#include <gtest/gtest.h>

#include "config_tests/parse.h"

namespace sluice {
namespace {

using Errors = std::vector<std::string>;

struct QueueingCase {
  std::string text;
  std::string error;
};

void expect_queueing_errors(const std::vector<QueueingCase>& cases) {
  for (const QueueingCase& c : cases) EXPECT_EQ(errors_of(c.text), Errors{c.error}) << c.text;
}

/// Expects one error that starts with `front`; the library's sentence follows.
void expect_error_front(const std::string& text, const std::string& front) {
  const Errors errors = errors_of(text);
  ASSERT_EQ(errors.size(), 1u) << text;
  EXPECT_TRUE(errors[0].starts_with(front)) << errors[0] << "\ninstead of\n" << front;
}

TEST(QueueingErrors, SuggestWhatAMisspeltKeyMeant) {
  expect_queueing_errors({
      {"contention: {mod: hold}", "f:1:14: unknown key `mod`; did you mean `mode`?"},
      {"contention: {table: {shard: []}}", "f:1:22: unknown key `shard`; did you mean `shared`?"},
      {"queues: {q: {pause: true}}", "f:1:14: unknown key `pause`; did you mean `paused`?"},
      {"resources: {db: {items: [a]}}",
       "f:1:18: unknown key `items`; known here: kind, total, consumption, shortage"},
      {"keys: {a: {prioritty: 1}}", "f:1:12: unknown key `prioritty`; did you mean `priority`?"},
      {"rules: [{do: pause, mach: {}}]", "f:1:21: unknown key `mach`; did you mean `match`?"},
      {"rules: [{do: pause, match: {keys: x}}]", "f:1:29: unknown key `keys`; did you mean `key`?"},
  });
}

TEST(QueueingErrors, OfContention) {
  expect_queueing_errors({
      {"contention: hodl",
       "f:1:13: contention.mode must be one of off, order, hold; is `hodl`; did you mean `hold`?"},
      {"contention: [hold]",
       "f:1:13: contention must be off, order, hold or a map of keys; is a list"},
      {"contention: {base: 0.25}",
       "f:1:20: contention.base must be a number such as 1 or 0.3; is `0.25`; at most one decimal "
       "place"},
      {"contention: {base: -1}",
       "f:1:20: contention.base must be neither negative nor too large; is `-1`"},
      {"contention: {tick: 0s}",
       "f:1:20: contention.tick must be at least 1ms and at most 1d; is `0s`"},
      {"contention: {aging_ticks: never}",
       "f:1:27: contention.aging_ticks must be a whole number from 0 to 10000, or off; is `never`"},
      {"contention: {aging_ticks: -1}",
       "f:1:27: contention.aging_ticks must be a whole number from 0 to 10000, or off; is `-1`"},
      {"contention: {levels: [a, b, a]}",
       "f:1:22: contention.levels must have each of them once; is a list; `a` is there twice"},
      {"contention: {levels: []}",
       "f:1:22: contention.levels must have 1 to 16 names; is an empty list; it has 0"},
      {"contention: {mode: hold, batch: true}",
       "f:1:33: contention.batch must not be true with `mode: hold`, which weighs jobs against "
       "those started in the same pass"},
      {"contention: {undeclared: all}",
       "f:1:26: contention.undeclared must be one of none, all-exclusive; is `all`"},
  });
}

TEST(QueueingErrors, OfTheTable) {
  expect_queueing_errors({
      {"contention: {table: {shared: [1, 2]}}",
       "f:1:30: contention.table.shared must be a list of nine numbers such as [5, 30, 5, 15, 30, "
       "30, 5, 15, 30]; is a list; it has 2"},
      {"contention: {table: {shared: [0, 0, 0, 0, x, 0, 0, 0, 0]}}",
       "f:1:43: contention.table.shared[4] must be a number such as 1 or 0.3; is `x`"},
      {"contention: {table: {shared: [0, 0, 0, 0, 0, 0, 0, 0, 0.33]}}",
       "f:1:55: contention.table.shared[8] must be a number such as 1 or 0.3; is `0.33`; at most "
       "one decimal place"},
      {"contention: {table: {exclusive: [0, 0.2, 3, 0, 0, 0, 0, 0, 0]}}",
       "f:1:33: contention.table.exclusive must not weigh a shared lock less where names meet "
       "(0.2) than where they do not (3); is a list"},
      {"contention: {table: {exclusive: [0, 3, 3, 0, 0, 1, 1.1, 0, 0]}}",
       "f:1:33: contention.table.exclusive must not weigh an exclusive lock less where names meet "
       "(1) than where they do not (1.1); is a list"},
  });
}

TEST(QueueingErrors, OfQueues) {
  expect_queueing_errors({
      {"queues: [a]", "f:1:9: queues must be a map by name; is a list"},
      {"queues: {q: 3}", "f:1:13: queues.q must be a map of keys; is `3`"},
      {"queues: {q: {backfill: -1}}",
       "f:1:24: queues.q.backfill must be at least 0 and at most 1000000; is `-1`"},
      {"queues: {q: {paused: maybe}}", "f:1:22: queues.q.paused must be true or false; is `maybe`"},
      {"queues: {q: {resources: [bd]}}\nresources: {db: {}}",
       "f:1:26: queues.q.resources[0]: unknown resource manager `bd`; did you mean `db`?"},
      {"queues: {q: {resources: [db]}}",
       "f:1:26: queues.q.resources[0]: unknown resource manager `db`; "
       "declare it under `resources:`"},
      {"queues: {q: {resources: db}}\nresources: {db: {}}",
       "f:1:25: queues.q.resources must be a list of names such as [a, b]; is `db`"},
      {"queues: {q: {}, p: {}, q: {}}", "f:1:24: key `q` is given twice, first in line 1"},
  });
  EXPECT_EQ(errors_of("queues: {\"a b\": {}}"),
            Errors{"f:1:10: queues has a bad name `a b`: must not have control characters, blanks "
                   "or commas"});
  EXPECT_EQ(errors_of("queues: {q: {resources: [\"\"]}}"),
            Errors{"f:1:26: queues.q.resources[0] must not be empty; is ``"});
  expect_error_front("queues: {" + std::string(256, 'q') + ": {}}",
                     "f:1:10: queues has a bad name ");
  EXPECT_TRUE(errors_of("queues: {" + std::string(255, 'q') + ": {}}").empty());
}

TEST(QueueingErrors, OfResources) {
  expect_queueing_errors({
      {"resources: {db: {kind: quantty}}",
       "f:1:24: resources.db.kind must be one of quantity, discrete, highlander; is `quantty`; did "
       "you mean `quantity`?"},
      {"resources: {db: {total: -1}}",
       "f:1:25: resources.db.total must be at least 0 and at most 1000000000000; is `-1`"},
      {"resources: {db: {consumption: -1}}",
       "f:1:31: resources.db.consumption must be at least 0 and at most 1000000000000; is `-1`"},
      {"resources: {p: {kind: discrete, items: [a, a]}}",
       "f:1:40: resources.p.items must have each of them once; is a list; `a` is there twice"},
      {"resources: {p: {kind: highlander, total: 1}}",
       "f:1:35: unknown key `total`; known here: kind, shortage"},
      {"resources: {p: {shortage: wait}}",
       "f:1:27: resources.p.shortage must be one of block, skip; is `wait`"},
      {"resources: {x: {kind: quantty}}\nqueues: {q: {resources: [x]}}",
       "f:1:23: resources.x.kind must be one of quantity, discrete, highlander; is `quantty`; did "
       "you mean `quantity`?"},
  });
}

TEST(QueueingErrors, OfKeys) {
  expect_queueing_errors({
      {"keys: {a: {queue: nightl}}\nqueues: {nightly: {}}",
       "f:1:19: keys.a.queue: unknown queue `nightl`; did you mean `nightly`?"},
      {"keys: {a: {queue: x}}", "f:1:19: keys.a.queue: unknown queue `x`; there is default"},
      {"keys: {a: {priority: 1000001}}",
       "f:1:22: keys.a.priority must be at least -1000000 and at most 1000000; is `1000001`"},
      {"keys: {a: {nice: 20}}", "f:1:18: keys.a.nice must be at least -20 and at most 19; is `20`"},
      {"keys: {a: {cost: 0}}",
       "f:1:18: keys.a.cost must be at least 1 and at most 16777215; is `0`"},
      {"keys: {a: {resources: {db: -1}}}\nresources: {db: {}}",
       "f:1:28: keys.a.resources.db must be at least 0; is `-1`"},
      {"keys: {a: {resources: {bd: 1}}}\nresources: {db: {}}",
       "f:1:28: keys.a.resources.bd: unknown resource manager `bd`; did you mean `db`?"},
      {"keys: {a: {resources: [db]}}",
       "f:1:23: keys.a.resources must be a map of amounts such as {db: 2}; is a list"},
      {"keys: {a: {locks: {nod: none}}}",
       "f:1:25: keys.a.locks.nod: unknown level `nod`; did you mean `node`?"},
      {"keys: {a: {locks: {node: [x]}}}", "f:1:26: keys.a.locks.node must be one value; is a list"},
      {"keys: {a: {locks: {node: \"shared:{x\"}}}",
       "f:1:26: keys.a.locks.node is not a lock declaration: has a { without its }; is "
       "`shared:{x`"},
      {"keys: {a: {locks: {node: \"shared:x}\"}}}",
       "f:1:26: keys.a.locks.node is not a lock declaration: has a } without its {; is "
       "`shared:x}`"},
      {"keys: {a: {locks: {node: \"shared:{}\"}}}",
       "f:1:26: keys.a.locks.node is not a lock declaration: has {} without a parameter name; is "
       "`shared:{}`"},
  });
  expect_error_front("keys: {a: {locks: {node: \"exclusiv:a\"}}}",
                     "f:1:26: keys.a.locks.node is not a lock declaration: ");
  expect_error_front("keys: {a: {locks: {node: \"{mode}:a\"}}}",
                     "f:1:26: keys.a.locks.node is not a lock declaration: ");
  expect_error_front("keys: {\"\": {}}", "f:1:8: keys has a bad name ``: must not be empty");
}

TEST(QueueingErrors, TooManyNamesOnAllLevelsTogether) {
  const auto names = [](int count) {
    std::string text = "exclusive:n0";
    for (int i = 1; i < count; ++i) text += ",n" + std::to_string(i);
    return text;
  };
  const auto file = [&](int node, int instance) {
    return "keys: {a: {locks: {node: \"" + names(node) + "\", instance: \"" + names(instance) +
           "\"}}}";
  };
  EXPECT_TRUE(errors_of(file(500, 500)).empty());
  EXPECT_EQ(
      errors_of(file(500, 501)),
      Errors{"f:1:19: keys.a.locks must have at most 1000 names across all levels; it has 1001"});
}

TEST(QueueingErrors, OfRules) {
  expect_queueing_errors({
      {"rules: {do: pause}", "f:1:8: rules must be a list of maps; is a map"},
      {"rules: [pause]", "f:1:9: rules[0] must be a map of keys; is `pause`"},
      {"rules: [{match: {}}]", "f:1:9: rules[0] needs `do`"},
      {"rules: [{do: pause}, {do: stop}]",
       "f:1:27: rules[1].do must be one of accept, pause, reject, rate_limit, continue; is `stop`"},
      {"rules: [{do: rate_limit}]",
       "f:1:14: rules[0] needs `n`, at least 1, with `do: rate_limit`"},
      {"rules: [{do: pause, n: 2}]", "f:1:24: rules[0].n is for `do: rate_limit` only"},
      {"rules: [{do: pause, n: 0}]",
       "f:1:24: rules[0].n must be at least 1 and at most 1000000; is `0`"},
      {"rules: [{do: pause, match: {key: [a]}}]",
       "f:1:34: rules[0].match.key must be a text such as \"lint-*\"; is a list"},
      {"rules: [{do: pause, match: lint}]",
       "f:1:28: rules[0].match must be a map of keys; is `lint`"},
  });
}

TEST(QueueingErrors, AreAllSaidAtOnce) {
  EXPECT_EQ(errors_of("queues:\n  q: {resources: [a, b], paused: 3}\n"
                      "keys:\n  k: {queue: p, locks: {x: none, y: none}}\n"
                      "rules: [{do: rate_limit}, {n: 1}]\n")
                .size(),
            8u);
}

}  // namespace
}  // namespace sluice
