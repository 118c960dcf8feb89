#include "service/gearman/payload.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice::gearman {
namespace {
using namespace std::chrono_literals;

JobRequest base() {
  JobRequest request;
  request.key = "executor:execute";
  request.program = "run-job";
  request.measured = true;
  request.suspendable = true;
  return request;
}

PayloadOrder good(const std::string& payload, PayloadTrust trust = PayloadTrust::data) {
  auto read = read_payload(payload, base(), trust);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    ADD_FAILURE() << payload << ": " << *problem;
    return {};
  }
  return std::get<PayloadOrder>(read);
}

TEST(GearmanPayload, MayBeNestedDeeplyButNotWithoutEnd) {
  const auto nested = [](std::size_t depth) {
    return R"({"cost": 33, "x": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(good(nested(200)).request.cost, Points{33});
  const auto refused = read_payload(nested(2000), base(), PayloadTrust::data);
  ASSERT_TRUE(std::holds_alternative<std::string>(refused));
  EXPECT_NE(std::get<std::string>(refused).find("nested"), std::string::npos);
}

TEST(GearmanPayload, IsTheJobsOwnAffairWhereItSaysNothing) {
  for (const std::string& payload :
       {std::string(), std::string("plain text"), std::string("\0\xff\x01", 3), std::string("[1]"),
        std::string("{\"broken\": "), std::string(R"({"job": "x", "node_set": [1, {"a": null}]})"),
        std::string(R"({"key": null, "timeout": null})")}) {
    const PayloadOrder order = good(payload);
    EXPECT_FALSE(order.tells) << payload;
    EXPECT_EQ(order.request.key, "executor:execute") << payload;
    EXPECT_TRUE(order.request.measured) << payload;
    EXPECT_FALSE(order.timeout) << payload;
  }
}

TEST(GearmanPayload, TellsWhatTheJobNeeds) {
  const PayloadOrder order = good(
      R"({"key":"lint","params":{"instance":"i1"},"inventory":2,"priority":7,"timeout":"30min",)"
      R"("locks":{"instance":"exclusive:i1"},"resources":{"db":2},"memory":"1GiB","other":[1,2]})");
  EXPECT_TRUE(order.tells);
  EXPECT_EQ(order.request.key, "lint");
  EXPECT_EQ(order.request.program, "run-job");
  EXPECT_EQ(order.request.params.at("instance"), "i1");
  EXPECT_EQ(order.request.inventory, 2);
  EXPECT_EQ(order.request.priority, 7);
  EXPECT_EQ(order.request.locks->size(), 1U);
  EXPECT_EQ(order.request.resources, (std::vector<ResourceDemand>{{"db", 2}}));
  EXPECT_EQ(order.request.memory, Bytes{1 << 30});
  EXPECT_TRUE(order.request.measured && order.request.suspendable);
  EXPECT_EQ(order.timeout, 30min);
}

TEST(GearmanPayload, KeepsTheFunctionsKeyWhereItGivesNone) {
  EXPECT_EQ(good(R"({"inventory": 3})").request.key, "executor:execute");
  EXPECT_FALSE(good(R"({"timeout": 5})").tells);
}

TEST(GearmanPayload, GivesATimeoutInSecondsToo) {
  EXPECT_EQ(good(R"({"timeout": 90})").timeout, 90s);
  EXPECT_EQ(good(R"({"timeout": 0.5})").timeout, 500ms);
}

TEST(GearmanPayload, NamesNoCommandUnlessItIsTrusted) {
  const std::string payload = R"({"command": ["/bin/echo", "a b"]})";
  EXPECT_TRUE(good(payload).command.empty());
  EXPECT_TRUE(good(R"({"command": 7})").command.empty());
  EXPECT_EQ(good(payload, PayloadTrust::commands).command,
            (std::vector<std::string>{"/bin/echo", "a b"}));
}

TEST(GearmanPayload, IsRefusedWithTheFieldThatIsWrong) {
  const struct {
    const char* payload;
    const char* field;
  } table[] = {{R"({"inventory": "two"})", "`inventory`"},
               {R"({"priority": 1.5})", "`priority`"},
               {R"({"key": 7})", "`key`"},
               {R"({"params": {"a": 1}})", "`params.a`"},
               {R"({"locks": {"node": "sideways:a"}})", "`locks.node`"},
               {R"({"resources": {"db": -1}})", "`resources.db`"},
               {R"({"timeout": 0})", "`timeout`"},
               {R"({"timeout": -1e300})", "`timeout`"},
               {R"({"timeout": "soon"})", "`timeout`"},
               {R"({"timeout": "9999h"})", "`timeout`"},
               {R"({"timeout": [1]})", "`timeout`"},
               {R"({"command": []})", "`command`"},
               {R"({"command": [""]})", "`command`"},
               {R"({"command": ["a", 1]})", "`command`"},
               {"{\"command\": [\"a\\u0000b\"]}", "`command`"},
               {R"({"command": "rm -rf /"})", "`command`"}};
  for (const auto& bad : table) {
    const auto read = read_payload(bad.payload, base(), PayloadTrust::commands);
    const auto* problem = std::get_if<std::string>(&read);
    ASSERT_TRUE(problem) << bad.payload;
    EXPECT_TRUE(problem->starts_with(bad.field)) << bad.payload << ": " << *problem;
  }
}

TEST(GearmanPayload, NeverThrowsWhateverComes) {
  std::mt19937_64 random(3);
  const std::string whole =
      R"({"key":"a","timeout":"3s","locks":{"node":"shared:a"},"command":["a"]})";
  for (int round = 0; round < 5000; ++round) {
    std::string payload = whole;
    for (int i = 0; i < 3; ++i) payload[random() % payload.size()] = static_cast<char>(random());
    EXPECT_NO_THROW(read_payload(payload, base(), PayloadTrust::commands));
  }
}

}  // namespace
}  // namespace sluice::gearman
