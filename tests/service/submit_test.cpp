#include "service/submit.h"

#include <gtest/gtest.h>

#include <random>

namespace sluice {
namespace {
using namespace std::chrono_literals;

Submit good(const std::string& body) {
  auto parsed = parse_submit(body);
  if (auto* error = std::get_if<ApiError>(&parsed)) {
    ADD_FAILURE() << body << ": " << error->message;
    return {};
  }
  return std::get<Submit>(parsed);
}

TEST(Submit, AllFieldsMayBeLeftOut) {
  for (const char* body : {"", " \n", "{}", R"({"id": null, "cost": null})"}) {
    const Submit submit = good(body);
    EXPECT_FALSE(submit.request.inventory) << body;
    EXPECT_FALSE(submit.process || submit.heartbeat || submit.request.cost) << body;
    EXPECT_EQ(submit.hold, Submit::Hold::none) << body;
  }
}

TEST(Submit, TakesEveryField) {
  const Submit submit =
      good(R"({"id":"a-1","key":"b\u00fcild","priority":-3,"inventory":0,"cost":15,)"
           R"("reports_started":true,"pid":77,"hold":"connection","heartbeat":"90s"})");
  EXPECT_EQ(submit.id, "a-1");
  EXPECT_EQ(submit.request.key, "b\xc3\xbcild");
  EXPECT_EQ(submit.request.priority, -3);
  EXPECT_EQ(submit.request.inventory, 0);
  EXPECT_EQ(submit.request.cost, Points{15});
  EXPECT_TRUE(submit.request.reports_started);
  EXPECT_EQ(std::get<pid_t>(*submit.process), 77);
  EXPECT_EQ(submit.hold, Submit::Hold::connection);
  EXPECT_EQ(submit.heartbeat, 90s);
}

TEST(Submit, TakesThePeerAsItsProcess) {
  EXPECT_TRUE(std::holds_alternative<Submit::PeerProcess>(*good(R"({"pid":"peer"})").process));
}

struct Bad {
  const char* body;
  const char* code;
  const char* field;
};

class BadSubmit : public ::testing::TestWithParam<Bad> {};

TEST_P(BadSubmit, IsRefusedNamingTheField) {
  const auto parsed = parse_submit(GetParam().body);
  ASSERT_TRUE(std::holds_alternative<ApiError>(parsed)) << GetParam().body;
  const auto& error = std::get<ApiError>(parsed);
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, GetParam().code) << GetParam().body;
  EXPECT_EQ(error.field, GetParam().field) << GetParam().body;
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadSubmit,
    ::testing::Values(
        Bad{"nonsense", "bad_json", ""}, Bad{"[]", "bad_json", ""}, Bad{"{} {}", "bad_json", ""},
        Bad{"{\"key\": \"\xff\"}", "bad_json", ""}, Bad{"[[[[[[[[[[[[]]]]]]]]]]]]", "bad_json", ""},
        Bad{R"({"id":""})", "bad_value", "id"}, Bad{R"({"id":"a/b"})", "bad_value", "id"},
        Bad{R"({"id":"a b"})", "bad_value", "id"}, Bad{R"({"id":"123"})", "bad_value", "id"},
        Bad{R"({"key":"a\u001b[31m"})", "bad_value", "key"},
        Bad{R"({"key":"a\nb"})", "bad_value", "key"}, Bad{R"({"id":5})", "bad_value", "id"},
        Bad{R"({"id":"\u00e4"})", "bad_value", "id"}, Bad{R"({"key":5})", "bad_value", "key"},
        Bad{R"({"priority":1.5})", "bad_value", "priority"},
        Bad{R"({"priority":99999999999})", "bad_value", "priority"},
        Bad{R"({"inventory":-1})", "bad_value", "inventory"},
        Bad{R"({"cost":0})", "bad_value", "cost"}, Bad{R"({"cost":1e400})", "bad_value", "cost"},
        Bad{R"({"cost":"5"})", "bad_value", "cost"},
        Bad{R"({"reports_started":1})", "bad_value", "reports_started"},
        Bad{R"({"pid":0})", "bad_value", "pid"}, Bad{R"({"pid":-1})", "bad_value", "pid"},
        Bad{R"({"pid":"me"})", "bad_value", "pid"},
        Bad{R"({"pid":4294967297})", "bad_value", "pid"},
        Bad{R"({"hold":true})", "bad_value", "hold"},
        Bad{R"({"heartbeat":60})", "bad_value", "heartbeat"},
        Bad{R"({"heartbeat":"10ms"})", "bad_value", "heartbeat"},
        Bad{R"({"heartbeat":"2d"})", "bad_value", "heartbeat"},
        Bad{R"({"locks":{}})", "not_available", "locks"},
        Bad{R"({"queue":"x"})", "not_available", "queue"},
        Bad{R"({"prioritty":1})", "unknown_field", "prioritty"}));

TEST(Submit, SuggestsTheFieldThatWasMeant) {
  const auto parsed = parse_submit(R"({"prioritty":1})");
  EXPECT_NE(std::get<ApiError>(parsed).message.find("did you mean `priority`?"), std::string::npos);
}

TEST(Submit, AnIdMayHave128Bytes) {
  EXPECT_EQ(good("{\"id\":\"" + std::string(128, 'x') + "\"}").id.size(), 128u);
  const auto longer = parse_submit("{\"id\":\"" + std::string(129, 'x') + "\"}");
  EXPECT_TRUE(std::holds_alternative<ApiError>(longer));
}

TEST(Submit, NeverThrowsForAnyBytes) {
  std::mt19937_64 random(7);
  const std::string seed = R"({"id":"a","cost":5,"pid":"peer","heartbeat":"5s","key":"\u0000"})";
  for (int round = 0; round < 20000; ++round) {
    std::string body = seed;
    for (int change = 0; change < 3; ++change) {
      body[random() % body.size()] = static_cast<char>(random());
    }
    EXPECT_NO_THROW(parse_submit(body.substr(0, random() % (body.size() + 1))));
  }
}

TEST(Wait, IsADurationOfAtMostFiveMinutes) {
  EXPECT_EQ(std::get<Duration>(parse_wait("1500ms")), 1500ms);
  EXPECT_EQ(std::get<Duration>(parse_wait("5min")), 5min);
  for (const char* bad : {"", "x", "-1s", "6min", "30"}) {
    EXPECT_TRUE(std::holds_alternative<ApiError>(parse_wait(bad))) << bad;
  }
}

}  // namespace
}  // namespace sluice
