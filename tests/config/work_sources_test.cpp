#include <gtest/gtest.h>

#include <chrono>

#include "config_tests/parse.h"

namespace sluice {
namespace {
using namespace std::chrono_literals;
using Errors = std::vector<std::string>;

TEST(WorkSourceOptions, AreRead) {
  const Config config = config_of(
      "work_sources:\n"
      "  - kind: gearman\n"
      "    servers: [\"127.0.0.1:4730\", \"[::1]:4731\"]\n"
      "    functions: {\"executor:execute\": [/usr/bin/run-job, -v]}\n"
      "    always: {\"executor:stop:{host}\": [/usr/bin/stop-job]}\n"
      "    zone: eu-west\n"
      "    unzoned: true\n"
      "    timeout: 2h\n"
      "    most_payload: 64KiB\n"
      "    environment: [PATH, CCACHE_DIR]\n"
      "    trust_payload: true\n"
      "  - {kind: gearman, servers: [\"other:4730\"]}\n");
  ASSERT_EQ(config.work_sources.size(), 2U);
  const GearmanOptions& first = config.work_sources[0];
  EXPECT_EQ(first.servers, (std::vector<std::string>{"127.0.0.1:4730", "[::1]:4731"}));
  EXPECT_EQ(first.functions.at("executor:execute"),
            (std::vector<std::string>{"/usr/bin/run-job", "-v"}));
  EXPECT_EQ(first.always.at("executor:stop:{host}"), std::vector<std::string>{"/usr/bin/stop-job"});
  EXPECT_EQ(first.zone, "eu-west");
  EXPECT_TRUE(first.unzoned && first.trust_payload);
  EXPECT_EQ(first.timeout, 2h);
  EXPECT_EQ(first.environment, (std::vector<std::string>{"PATH", "CCACHE_DIR"}));
  EXPECT_EQ(first.most_payload, Bytes{64 * 1024});
  const GearmanOptions& second = config.work_sources[1];
  EXPECT_FALSE(second.unzoned || second.trust_payload || second.timeout);
  EXPECT_TRUE(second.functions.empty() && second.always.empty() && second.zone.empty());
}

TEST(WorkSourceOptions, AreNoneByDefault) {
  EXPECT_TRUE(config_of("").work_sources.empty());
  EXPECT_TRUE(config_of("work_sources: []").work_sources.empty());
}

TEST(WorkSourceOptions, AreRefusedWithTheirPlace) {
  const std::string front = "work_sources: [{kind: gearman, servers: [\"a:1\"], ";
  const std::pair<std::string, std::string> table[] = {
      {"work_sources: {}", "f:1:15: work_sources must be a list of maps; is a map"},
      {"work_sources: [{kind: gearman}]", "f:1:16: work_sources[0] needs `servers`"},
      {"work_sources: [{servers: [\"a:1\"]}]", "f:1:16: work_sources[0] needs `kind`"},
      {"work_sources: [{kind: germane, servers: [\"a:1\"]}]",
       "f:1:23: work_sources[0].kind must be gearman; is `germane`; did you mean "
       "`gearman`?"},
      {front + "function: {}}]", "f:1:50: unknown key `function`; did you mean `functions`?"},
      {front + "timeout: 5ms}]",
       "f:1:59: work_sources[0].timeout must be at least 1s and at most 30d; is `5ms`"},
      {front + "functions: {a: [b]}, always: {a: [c]}}]",
       "f:1:83: work_sources[0].always.a is in `functions` as well; list it in one of them only"},
  };
  for (const auto& [text, error] : table) EXPECT_EQ(errors_of(text), Errors{error}) << text;
}

TEST(WorkSourceOptions, AreRefusedForCommandsThatAreNone) {
  const std::string front = "work_sources: [{kind: gearman, servers: [\"a:1\"], functions: ";
  for (const std::string functions :
       {"{a: run}", "{a: []}", "{a: [\"\"]}", "{a: {b: c}}", "{a: [[b]]}", "{\"\": [b]}", "[a]"}) {
    const Errors errors = errors_of(front + functions + "}]");
    ASSERT_EQ(errors.size(), 1U) << functions;
    EXPECT_NE(errors[0].find("work_sources[0].functions"), std::string::npos) << errors[0];
  }
}

}  // namespace
}  // namespace sluice
