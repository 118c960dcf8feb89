#include "governor/validation/check_request.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace sluice {
namespace {

using Templates = std::map<std::string, std::string>;

QueueingOptions with_key(KeyOptions key) {
  QueueingOptions options;
  options.queues["nightly"];
  options.resources["db"];
  options.resources["gpu"];
  options.keys["k"] = std::move(key);
  return options;
}

JobRequest job_of_key() {
  JobRequest job;
  job.key = "k";
  return job;
}

TEST(Definitions, FillWhatAJobLeavesOpen) {
  KeyOptions key;
  key.queue = "nightly";
  key.priority = 5;
  key.inventory = 2;
  key.nice = 10;
  key.cost = Points{30};
  key.resources = {{"db", 2}};
  key.global_lock = true;
  const JobRequest job = complete(with_key(key), job_of_key());
  EXPECT_EQ(job.queue, "nightly");
  EXPECT_EQ(job.priority, 5);
  EXPECT_EQ(job.inventory, 2);
  EXPECT_EQ(job.nice, 10);
  EXPECT_EQ(job.cost, Points{30});
  EXPECT_EQ(job.resources, (std::vector<ResourceDemand>{{"db", 2}}));
  EXPECT_TRUE(job.global_lock);
  EXPECT_FALSE(job.locks);
}

TEST(Definitions, WhatAJobSaysHolds) {
  KeyOptions key;
  key.queue = "nightly";
  key.priority = 5;
  key.inventory = 2;
  key.nice = 10;
  key.cost = Points{30};
  key.resources = {{"db", 2}, {"gpu", 1}};
  key.locks = Templates{{"node", "all-exclusive"}};
  key.global_lock = true;
  JobRequest said = job_of_key();
  said.queue = "default";
  said.priority = 0;
  said.inventory = 0;
  said.nice = 0;
  said.cost = Points{1};
  said.resources = {{"db", 0}};
  said.locks.emplace();
  const JobRequest job = complete(with_key(key), said);
  EXPECT_EQ(job.queue, "default");
  EXPECT_EQ(job.priority, 0);
  EXPECT_EQ(job.inventory, 0);
  EXPECT_EQ(job.nice, 0);
  EXPECT_EQ(job.cost, Points{1});
  EXPECT_EQ(job.resources, (std::vector<ResourceDemand>{{"db", 0}, {"gpu", 1}}));
  EXPECT_FALSE(job.global_lock) << "it says what it locks: nothing";
  EXPECT_TRUE(job.locks && job.locks->empty());
}

TEST(Definitions, DefaultsComeWhereNobodySaysAnything) {
  QueueingOptions options = with_key({});
  const JobRequest job = complete(options, {});
  EXPECT_EQ(job.queue, "default");
  EXPECT_EQ(job.priority, 0);
  EXPECT_EQ(job.inventory, 1);
  EXPECT_FALSE(job.nice || job.cost || job.locks || job.memory || job.global_lock);
  options.queues.erase("default");
  options.queues["a"];
  EXPECT_EQ(complete(options, {}).queue, "a");
  EXPECT_EQ(complete(options, job_of_key()).queue, "a");
}

TEST(Definitions, CompletingTwiceChangesNothing) {
  KeyOptions key;
  key.resources = {{"db", 2}};
  key.locks = Templates{{"node", "exclusive:{n}"}};
  const QueueingOptions options = with_key(key);
  const JobRequest once = complete(options, job_of_key());
  const JobRequest twice = complete(options, once);
  EXPECT_EQ(once.resources, twice.resources);
  EXPECT_EQ(once.locks, twice.locks);
}

struct Template {
  std::string text;
  std::map<std::string, std::string> params;
  std::string locks;
};

TEST(Definitions, TemplatesAreFilledAndWidenWhereTheyCannotBe) {
  const std::string long_name(200, 'x');
  const Template rows[] = {
      {"exclusive:{i}", {{"i", "i1"}}, "exclusive:i1"},
      {"exclusive:{i}", {}, "unknown-exclusive"},
      {"shared:{i}", {}, "unknown-shared"},
      {"exclusive:{i}", {{"i", ""}}, "unknown-exclusive"},
      {"exclusive:{i}", {{"i", "a,b"}}, "unknown-exclusive"},
      {"exclusive:{i}", {{"i", "a none"}}, "unknown-exclusive"},
      {"exclusive:{i}", {{"i", "{j}"}, {"j", "b"}}, "exclusive:{j}"},
      {"exclusive:{i}{i}", {{"i", long_name}}, "unknown-exclusive"},
      {"exclusive:a,{i}", {}, "unknown-exclusive"},
      {"exclusive:{i},{j}", {{"i", "b"}, {"j", "a"}}, "exclusive:a,b"},
      {"exclusive:{i},{j}", {{"i", "b"}}, "unknown-exclusive"},
      {"exclusive:disk-{i}.{j}", {{"i", "7"}, {"j", "0"}}, "exclusive:disk-7.0"},
      {"shared:{s} exclusive:{e}", {{"s", "a"}}, "shared:a unknown-exclusive"},
      {"shared:{s} exclusive:{e}", {{"e", "b"}}, "exclusive:b unknown-shared"},
      {"shared:{s}\texclusive:{e}", {{"e", "b"}}, "exclusive:b unknown-shared"},
      {"unknown-exclusive", {}, "unknown-exclusive"},
      {"none", {{"i", "a"}}, "none"},
      {"broken", {}, "all-exclusive"},
      {"exclusive:{i", {{"i", "a"}}, "unknown-exclusive"},
  };
  for (const Template& row : rows) {
    KeyOptions key;
    key.locks = Templates{{"node", row.text}};
    JobRequest job = job_of_key();
    job.params = row.params;
    const auto locks = complete(with_key(key), job).locks;
    ASSERT_TRUE(locks && locks->size() == 1) << row.text;
    EXPECT_EQ(locks->front().level, "node");
    EXPECT_EQ(to_text(locks->front()), row.locks) << row.text;
  }
}

TEST(DefinitionsProperty, NoParameterMakesALockGoAway) {
  std::mt19937 random(5);
  KeyOptions key;
  key.locks = Templates{{"node", "exclusive:{a},x{b}"}, {"instance", "shared:{b}"}};
  const QueueingOptions options = with_key(key);
  const std::string bytes = std::string("ab,: {}\n\xc3\x7f") + '\0';
  const auto draw = [&] {
    std::string text(random() % 5, 'a');
    for (char& byte : text) byte = bytes[random() % bytes.size()];
    return text;
  };
  for (int i = 0; i < 20'000; ++i) {
    JobRequest job = job_of_key();
    if (random() % 4 != 0) job.params["a"] = draw();
    if (random() % 4 != 0) job.params["b"] = draw();
    const auto locks = complete(options, job).locks;
    ASSERT_EQ(locks->size(), 2u);
    EXPECT_TRUE(!locks->at(0).shared.empty() || locks->at(0).unknown_shared);
    EXPECT_TRUE(!locks->at(1).exclusive.empty() || locks->at(1).unknown_exclusive);
    EXPECT_FALSE(check_locks(options.contention, *locks));
  }
}

struct Bad {
  std::string field, message;
  void (*spoil)(JobRequest&);
};

LevelLocks locks_at(std::string level, std::vector<std::string> names) {
  LevelLocks locks;
  locks.level = std::move(level);
  locks.shared = std::move(names);
  return locks;
}

TEST(Definitions, ARequestThatCannotBeTakenNamesItsField) {
  const Bad rows[] = {
      {"queue", "there is no queue `nigthly`; there are default, nightly",
       [](JobRequest& job) { job.queue = "nigthly"; }},
      {"queue", "there is no queue `" + std::string(60, 'q') + "…`; there are default, nightly",
       [](JobRequest& job) { job.queue = std::string(300, 'q'); }},
      {"nice", "must be from -20 to 19, not 20", [](JobRequest& job) { job.nice = 20; }},
      {"nice", "must be from -20 to 19, not -21", [](JobRequest& job) { job.nice = -21; }},
      {"priority", "must be from -1000000 to 1000000, not 1000001",
       [](JobRequest& job) { job.priority = 1'000'001; }},
      {"priority", "must be from -1000000 to 1000000, not -2147483648",
       [](JobRequest& job) { job.priority = std::numeric_limits<int>::min(); }},
      {"inventory", "must be from 0 to 1000000, not -1",
       [](JobRequest& job) { job.inventory = -1; }},
      {"inventory", "must be from 0 to 1000000, not 1000001",
       [](JobRequest& job) { job.inventory = 1'000'001; }},
      {"cost", "must be at least 1, not 0", [](JobRequest& job) { job.cost = Points{0}; }},
      {"cost", "must be at least 1, not -1", [](JobRequest& job) { job.cost = Points{-1}; }},
      {"memory", "must be at most 1152921504606846976 bytes, not 18446744073709551615",
       [](JobRequest& job) { job.memory = Bytes{~std::uint64_t{0}}; }},
      {"resources.bd", "there is no resource manager `bd`; there are db, gpu",
       [](JobRequest& job) {
         job.resources = {{"bd", 1}};
       }},
      {"resources", "there is no resource manager `a?b`; there are db, gpu",
       [](JobRequest& job) {
         job.resources = {{"a\nb", 1}};
       }},
      {"resources.db", "must be at least 0, not -2",
       [](JobRequest& job) {
         job.resources = {{"db", -2}};
       }},
      {"resources.db", "must not be given twice",
       [](JobRequest& job) {
         job.resources = {{"db", 1}, {"gpu", 1}, {"db", 1}};
       }},
      {"locks.floor",
       "there is no lock level `floor`; there are node_group, instance, node, node_resource, "
       "network",
       [](JobRequest& job) { job.locks = {locks_at("floor", {})}; }},
      {"locks.node", "must not be given twice",
       [](JobRequest& job) {
         job.locks = {locks_at("node", {"a"}), locks_at("node", {"b"})};
       }},
      {"locks.node", "has a name `a,b`, which must not have control characters, blanks or commas",
       [](JobRequest& job) { job.locks = {locks_at("node", {"a,b"})}; }},
      {"locks.node",
       "has a name `" + std::string(60, 'n') + "…`, which must have at most 255 bytes",
       [](JobRequest& job) { job.locks = {locks_at("node", {std::string(256, 'n')})}; }},
      {"locks.network", "names too many locks: a job may name at most 1000 across all levels",
       [](JobRequest& job) {
         job.locks = {locks_at("node", std::vector<std::string>(500, "a")),
                      locks_at("network", std::vector<std::string>(501, "a"))};
       }},
      {"reasons", "must be at most 1000, not 1001",
       [](JobRequest& job) { job.reasons.resize(1001); }},
      {"reasons", "must each have at most 1024 bytes",
       [](JobRequest& job) { job.reasons = {std::string(1025, 'r')}; }},
      {"params", "must be at most 1000, not 1001",
       [](JobRequest& job) {
         for (int i = 0; i <= 1000; ++i) job.params[std::to_string(i)];
       }},
      {"params", "has a name ``, which must not be empty", [](JobRequest& job) { job.params[""]; }},
      {"params.p", "must have at most 1024 bytes, not 1025",
       [](JobRequest& job) { job.params["p"] = std::string(1025, 'v'); }},
  };
  for (const Bad& row : rows) {
    JobRequest job;
    row.spoil(job);
    const auto bad = check_request(with_key({}), job);
    ASSERT_TRUE(bad) << row.field << " " << row.message;
    EXPECT_EQ(bad->field, row.field);
    EXPECT_EQ(bad->message, row.message);
  }
}

TEST(Definitions, ARequestAtItsLimitsIsTaken) {
  JobRequest job;
  job.queue = "nightly";
  job.nice = -20;
  job.priority = -1'000'000;
  job.inventory = 1'000'000;
  job.resources = {{"db", 0}, {"gpu", 1'000'000}};
  job.locks = {locks_at("node", std::vector<std::string>(1000, std::string(255, 'x')))};
  job.reasons = std::vector<std::string>(1000, std::string(1024, 'r'));
  job.params["p"] = std::string(1024, 'v');
  EXPECT_FALSE(check_request(with_key({}), job));
  job.priority = 1'000'000;
  job.inventory = 0;
  EXPECT_FALSE(check_request(with_key({}), job));
  EXPECT_FALSE(check_request(with_key({}), {}));
}

TEST(Definitions, AMessageNamesAtMostTenOfManyQueues) {
  QueueingOptions options;
  for (int i = 0; i < 100; ++i) options.queues["q" + std::to_string(i)];
  JobRequest job;
  job.queue = "x";
  EXPECT_EQ(
      check_request(options, job)->message,
      "there is no queue `x`; there are default, q0, q1, q10, q11, q12, q13, q14, q15, q16, …");
  job = {};
  job.resources = {{"db", 1}};
  EXPECT_EQ(
      check_request(options, job)->message,
      "there is no resource manager `db`; declare it under `resources:` of the configuration");
}

struct BadTemplate {
  std::string level, text, field, message;
};

TEST(Definitions, ATemplateThatCannotHoldNamesItsLevel) {
  const BadTemplate rows[] = {
      {"floor", "none", "locks.floor",
       "there is no lock level `floor`; there are node_group, instance, node, node_resource, "
       "network"},
      {"node", "exclusive:{i", "locks.node", "has a { without its }"},
      {"node", "exclusive:{{i}}", "locks.node", "has a { without its }"},
      {"node", "exclusive:i}", "locks.node", "has a } without its {"},
      {"node", "exclusive:{}", "locks.node", "has {} without a parameter name"},
      {"node", "{mode}:a", "locks.node", "has a parameter in place of the mode in `{mode}:a`"},
      {"node", "{mode}", "locks.node", "has a parameter in place of the mode in `{mode}`"},
      {"node", "", "locks.node", "there must be a mode, such as none or unknown-shared"},
      {"node", "shared:a,,{i}", "locks.node", "a name must not be empty"},
  };
  for (const BadTemplate& row : rows) {
    KeyOptions key;
    key.locks = Templates{{row.level, row.text}};
    const auto bad = check_lock_templates({}, key);
    ASSERT_TRUE(bad) << row.text;
    EXPECT_EQ(bad->field, row.field) << row.text;
    EXPECT_EQ(bad->message, row.message) << row.text;
  }
}

TEST(Definitions, TemplatesThatSomeParametersFillAreTaken) {
  KeyOptions key;
  EXPECT_FALSE(check_lock_templates({}, key));
  key.locks =
      Templates{{"node", "shared:{a},b exclusive:c-{d}{e}"},
                {"instance", std::string("exclusive:") + std::string(250, 'x') + "{instance}"},
                {"network", "all-shared"}};
  EXPECT_FALSE(check_lock_templates({}, key));
}

TEST(Definitions, LocksOfATemplateAreCountedOverItsLevels) {
  KeyOptions key;
  key.locks.emplace();
  for (const char* level : {"instance", "node"}) {
    std::string text = "shared:0";
    for (int i = 1; i < 600; ++i) text += "," + std::to_string(i);
    (*key.locks)[level] = text;
  }
  EXPECT_EQ(check_lock_templates({}, key)->field, "locks.node");
}

}  // namespace
}  // namespace sluice
