// The example of Ganeti's opcodes gives jobs the locks that Ganeti's design predicts for them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "config_tests/parse.h"
#include "governor/validation/check_request.h"

namespace sluice {
namespace {

using Locks = std::map<std::string, std::string>;
using Params = std::map<std::string, std::string>;

QueueingOptions example() {
  std::ifstream stream(SLUICE_SOURCE "/examples/ganeti-keys.yaml", std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_FALSE(text.empty());
  return config_of(text).governing.queueing;
}

JobRequest job_of(const std::string& key, Params params = {}) {
  JobRequest job;
  job.key = key;
  job.params = std::move(params);
  return complete(example(), std::move(job));
}

std::vector<LevelLocks> locks_of(const std::string& key, Params params = {}) {
  auto locks = job_of(key, std::move(params)).locks.value_or(std::vector<LevelLocks>{});
  std::erase_if(locks, [](const LevelLocks& each) {
    return std::get<LevelLocks>(parse_locks(each.level, "none")) == each;
  });
  std::sort(locks.begin(), locks.end(),
            [](const auto& one, const auto& other) { return one.level < other.level; });
  return locks;
}

/// Parses the locks, ordered by the names of their levels.
std::vector<LevelLocks> meant(const Locks& texts) {
  std::vector<LevelLocks> locks;
  for (const auto& [level, text] : texts) {
    locks.push_back(std::get<LevelLocks>(parse_locks(level, text)));
  }
  return locks;
}

TEST(GanetiKeys, HaveTheLocksOfTheirOpcodes) {
  const Params i1{{"instance", "i1"}};
  EXPECT_EQ(locks_of("INSTANCE_STARTUP", i1),
            meant({{"instance", "exclusive:i1"}, {"node_resource", "unknown-exclusive"}}));
  EXPECT_EQ(locks_of("INSTANCE_SHUTDOWN", i1), meant({{"instance", "exclusive:i1"}}));
  EXPECT_EQ(locks_of("OS_DIAGNOSE"), meant({}));
  EXPECT_EQ(locks_of("NETWORK_ADD", {{"network", "x"}}),
            meant({{"network", "exclusive:x"}, {"node_group", "all-shared"}}));
  EXPECT_EQ(locks_of("GROUP_VERIFY_DISKS"), meant({{"instance", "unknown-shared"},
                                                   {"node", "unknown-shared"},
                                                   {"node_group", "all-shared"}}));
  EXPECT_EQ(
      locks_of("INSTANCE_MIGRATE", {{"instance", "i1"}, {"primary", "n1"}, {"secondary", "n2"}}),
      meant({{"instance", "exclusive:i1"},
             {"node", "exclusive:n1,n2"},
             {"node_resource", "exclusive:n1,n2"}}));
}

TEST(GanetiKeys, LockTheWholeClusterWhereGanetiDoes) {
  EXPECT_TRUE(job_of("NODE_ADD").global_lock);
  EXPECT_FALSE(job_of("OS_DIAGNOSE").global_lock);
}

TEST(GanetiKeys, WithoutParametersAreUnknownAndNeverFree) {
  EXPECT_EQ(locks_of("INSTANCE_SHUTDOWN"), meant({{"instance", "unknown-exclusive"}}));
  EXPECT_EQ(locks_of("INSTANCE_MIGRATE", {{"instance", "i1"}, {"primary", "n1"}}),
            meant({{"instance", "exclusive:i1"},
                   {"node", "unknown-exclusive"},
                   {"node_resource", "unknown-exclusive"}}));
}

TEST(GanetiKeys, OfTheExampleAreWhatTheGovernorTakes) {
  const QueueingOptions options = example();
  EXPECT_GE(options.keys.size(), 8u);
  for (const auto& [name, key] : options.keys) {
    EXPECT_FALSE(check_lock_templates(options.contention, key)) << name;
  }
}

/// The governor and the configuration agree on each text in a definition.
TEST(LockTemplates, AreJudgedAsTheGovernorJudgesThem) {
  for (const std::string text :
       {"none", "shared:a,b", "shared:{x}", "exclusive:vm-{x},{y} shared:z", "unknown-shared",
        "all-shared", "unknown-exclusive", "all-exclusive", "exclusiv:a", "shared:", "shared:a,,b",
        "shared:{x", "all", "none none", "{x}:a", "shared", "all-shared:a"}) {
    KeyOptions key;
    key.locks = Locks{{"node", text}};
    const bool taken = !check_lock_templates(ContentionOptions{}, key);
    const bool read = errors_of("keys: {k: {locks: {node: \"" + text + "\"}}}").empty();
    EXPECT_EQ(read, taken) << text;
  }
}

}  // namespace
}  // namespace sluice
