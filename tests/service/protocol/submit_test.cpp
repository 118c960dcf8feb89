#include "service/protocol/submit.h"

#include <gtest/gtest.h>

#include <random>

#include "bad_body.h"
#include "service/protocol/api_error.h"

namespace sluice {
namespace {

using bad_body::Bad;
using namespace std::chrono_literals;

Submit good_submit(const std::string& body) {
  auto parsed = parse_submit(body);
  if (auto* error = std::get_if<ApiError>(&parsed)) {
    ADD_FAILURE() << body << ": " << error->message;
    return {};
  }
  return std::get<Submit>(parsed);
}

TEST(Submit, AllFieldsMayBeLeftOut) {
  for (const char* body : {"", " \n", "{}", R"({"id": null, "cost": null})"}) {
    const Submit submit = good_submit(body);
    EXPECT_FALSE(submit.request.inventory) << body;
    EXPECT_FALSE(submit.process || submit.heartbeat || submit.request.cost) << body;
    EXPECT_EQ(submit.hold, Submit::Hold::none) << body;
  }
}

TEST(Submit, TakesEveryField) {
  const Submit submit =
      good_submit(R"({"id":"a-1","key":"b\u00fcild","priority":-3,"inventory":0,"cost":15,)"
                  R"("reports_started":true,"pid":77,"hold":"connection","heartbeat":"90s",)"
                  R"("batch":"17","batch_waiting":16,"batch_unfinished":8})");
  EXPECT_EQ(submit.id, "a-1");
  EXPECT_EQ(submit.request.key, "b\xc3\xbcild");
  EXPECT_EQ(submit.request.priority, -3);
  EXPECT_EQ(submit.request.inventory, 0);
  EXPECT_EQ(submit.request.cost, Points{15});
  EXPECT_TRUE(submit.request.reports_started);
  EXPECT_EQ(std::get<pid_t>(*submit.process), 77);
  EXPECT_EQ(submit.hold, Submit::Hold::connection);
  EXPECT_EQ(submit.heartbeat, 90s);
  EXPECT_EQ(submit.batch.id, "17");
  EXPECT_EQ(submit.batch.most_waiting, 16);
  EXPECT_EQ(submit.batch.most_unfinished, 8);
}

TEST(Submit, TakesWhatIsMeasuredAndDeclared) {
  const JobRequest job =
      good_submit(R"({"program":"g++","measured":true,"memory":"1.5GiB"})").request;
  EXPECT_EQ(job.program, "g++");
  EXPECT_TRUE(job.measured);
  EXPECT_EQ(job.memory, Bytes{3ULL << 29});
  EXPECT_EQ(good_submit(R"({"memory":4096})").request.memory, Bytes{4096});
}

TEST(Submit, TakesThePeerAsItsProcess) {
  EXPECT_TRUE(
      std::holds_alternative<Submit::PeerProcess>(*good_submit(R"({"pid":"peer"})").process));
}

TEST(Submit, ThatCanNeverRunNamesTheFieldAtFault) {
  const auto field = [](std::string_view binding) {
    Refusal refusal;
    refusal.code = RefusalCode::impossible;
    refusal.binding = binding;
    return refused(refusal, {}).field;
  };
  EXPECT_EQ(field("window"), "cost");
  EXPECT_EQ(field("memory"), "memory");
  EXPECT_EQ(field("db"), "resources.db");
}

TEST(Submit, CountsTheElementsThatItDeclares) {
  const auto elements = [](const std::string& body) {
    return std::get<Submit>(parse_submit(body)).declared.elements;
  };
  EXPECT_EQ(elements(R"({"id":"a","key":"k","cost":5,"memory":"1GiB"})"), 0U);
  EXPECT_EQ(elements(R"({"params":{"a":"1","b":"2"}})"), 2U);
  EXPECT_EQ(elements(R"({"reasons":["r","r","r"]})"), 3U);
  EXPECT_EQ(elements(R"({"resources":{"db":2}})"), 1U);
  EXPECT_EQ(elements(R"({"after":["x","7"]})"), 2U);
  EXPECT_EQ(elements(R"({"locks":{"node":"shared:a,b exclusive:c","net":"none"}})"), 5U);
}

class BadSubmit : public ::testing::TestWithParam<Bad> {};

TEST_P(BadSubmit, IsRefusedNamingTheField) {
  bad_body::expect_refused(parse_submit(GetParam().body), GetParam());
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
        Bad{R"({"batch_waiting":16})", "bad_value", "batch"},
        Bad{R"({"batch":"17","batch_waiting":0})", "bad_value", "batch_waiting"},
        Bad{R"({"batch":"17","batch_unfinished":"8"})", "bad_value", "batch_unfinished"},
        Bad{R"({"memory":-1})", "bad_value", "memory"},
        Bad{R"({"position":"front"})", "not_available", "position"},
        Bad{R"({"queue":""})", "bad_value", "queue"},
        Bad{R"({"queue":"a b"})", "bad_value", "queue"},
        Bad{R"({"queue":7})", "bad_value", "queue"}, Bad{R"({"locks":[]})", "bad_value", "locks"},
        Bad{R"({"locks":{"a b":"none"}})", "bad_value", "locks"},
        Bad{R"({"locks":{"node":5}})", "bad_value", "locks.node"},
        Bad{R"({"locks":{"node":"odd:a"}})", "bad_value", "locks.node"},
        Bad{R"({"locks":{"node":"exclusive:a,,b"}})", "bad_value", "locks.node"},
        Bad{R"({"global_lock":"yes"})", "bad_value", "global_lock"},
        Bad{R"({"resources":["db"]})", "bad_value", "resources"},
        Bad{R"({"resources":{"db":-1}})", "bad_value", "resources.db"},
        Bad{R"({"resources":{"db":1.5}})", "bad_value", "resources.db"},
        Bad{R"({"resources":{"a,b":1}})", "bad_value", "resources"},
        Bad{R"({"after":"a"})", "bad_value", "after"},
        Bad{R"({"after":[""]})", "bad_value", "after"},
        Bad{R"({"after":[-1]})", "bad_value", "after"},
        Bad{R"({"after":[[]]})", "bad_value", "after"},
        Bad{R"({"id":"a","after":["a"]})", "bad_value", "after"},
        Bad{R"({"on_failure":"retry"})", "bad_value", "on_failure"},
        Bad{R"({"on_failure":1})", "bad_value", "on_failure"},
        Bad{R"({"reasons":"x"})", "bad_value", "reasons"},
        Bad{R"({"reasons":["a\nb"]})", "bad_value", "reasons"},
        Bad{R"({"params":[]})", "bad_value", "params"},
        Bad{R"({"params":{"a":1}})", "bad_value", "params.a"},
        Bad{R"({"nice":20})", "bad_value", "nice"}, Bad{R"({"nice":-21})", "bad_value", "nice"},
        Bad{R"({"takes_turns":true})", "unknown_field", "takes_turns"},
        Bad{R"({"prioritty":1})", "unknown_field", "prioritty"}));

TEST(Submit, TakesWhatAJobLocksNeedsAndComesAfter) {
  const Submit submit = good_submit(
      R"({"queue":"nightly","nice":-5,"global_lock":true,"on_failure":"hold","after":["a",7,"8"],)"
      R"("locks":{"node":"shared:b exclusive:c,a","instance":"all-shared"},)"
      R"("resources":{"db":2,"ports":0},"reasons":["rate-limit:2:x"],"params":{"i":"i1"}})");
  const JobRequest& request = submit.request;
  EXPECT_EQ(request.queue, "nightly");
  EXPECT_EQ(request.nice, -5);
  EXPECT_TRUE(request.global_lock);
  EXPECT_EQ(request.on_failure, OnFailure::hold);
  EXPECT_EQ(submit.after, (std::vector<std::string>{"a", "7", "8"}));
  ASSERT_EQ(request.locks->size(), 2u);
  EXPECT_EQ((*request.locks)[0].level, "node");
  EXPECT_EQ((*request.locks)[0].shared, std::vector<std::string>{"b"});
  EXPECT_EQ((*request.locks)[0].exclusive, (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE((*request.locks)[1].all_shared);
  EXPECT_EQ(request.resources, (std::vector<ResourceDemand>{{"db", 2}, {"ports", 0}}));
  EXPECT_EQ(request.reasons, std::vector<std::string>{"rate-limit:2:x"});
  EXPECT_EQ(request.params.at("i"), "i1");
}

TEST(Submit, TheGovernorKnowsAJobByTheClientsId) {
  EXPECT_EQ(good_submit(R"({"id":"a"})").request.id, "a");
}

TEST(Submit, NoLocksAtAllAreNotTheSameAsAnEmptyDeclaration) {
  EXPECT_FALSE(good_submit("{}").request.locks);
  EXPECT_TRUE(good_submit(R"({"locks":{}})").request.locks);
}

std::string names(std::size_t count) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n) text += (n ? ",n" : "n") + std::to_string(n);
  return text;
}

std::string error_field(const std::string& body) {
  const auto parsed = parse_submit(body);
  const auto* error = std::get_if<ApiError>(&parsed);
  return error ? error->field : "taken";
}

TEST(Submit, TooManyLockNamesAreRefusedNamingTheLevel) {
  const auto body = [](std::size_t first, std::size_t second) {
    return R"({"locks":{"instance":"shared:)" + names(first) + R"(","node":"exclusive:)" +
           names(second) + "\"}}";
  };
  EXPECT_EQ(error_field(body(500, 500)), "taken");
  EXPECT_EQ(error_field(body(500, 501)), "locks.node");
  EXPECT_EQ(error_field(body(100'000, 1)), "locks.instance");
}

TEST(Submit, NamesHaveAtMost255Bytes) {
  const std::string longest(255, 'x');
  const std::pair<std::string, std::string> cases[] = {
      {R"({"queue":"@"})", "queue"},
      {R"({"locks":{"@":"none"}})", "locks"},
      {R"({"locks":{"node":"shared:@"}})", "locks.node"},
      {R"({"resources":{"@":1}})", "resources"},
      {R"({"params":{"@":"x"}})", "params"}};
  for (auto [body, field] : cases) {
    const std::size_t at = body.find('@');
    EXPECT_EQ(error_field(body.replace(at, 1, longest)), "taken") << field;
    EXPECT_EQ(error_field(body.replace(at, 255, longest + "x")), field);
  }
}

TEST(Submit, ListsAndMapsAreBounded) {
  const auto many = [](const std::string& each, std::size_t count) {
    std::string text;
    for (std::size_t n = 0; n < count; ++n) {
      std::string entry = each;
      const std::size_t at = entry.find('@');
      text += (n ? "," : "") + entry.replace(at, 1, std::to_string(n));
    }
    return text;
  };
  const std::pair<const char*, std::pair<std::string, const char*>> cases[] = {
      {R"({"reasons":[)", {"\"r@\"", "]}"}},
      {R"({"after":[)", {"\"a@\"", "]}"}},
      {R"({"params":{)", {"\"p@\":\"x\"", "}}"}},
      {R"({"resources":{)", {"\"m@\":1", "}}"}},
  };
  for (const auto& [start, rest] : cases) {
    EXPECT_EQ(error_field(start + many(rest.first, 100) + rest.second), "taken") << start;
    EXPECT_NE(error_field(start + many(rest.first, 101) + rest.second), "taken") << start;
  }
}

TEST(Submit, SuggestsTheFieldThatWasMeant) {
  const auto parsed = parse_submit(R"({"prioritty":1})");
  EXPECT_NE(std::get<ApiError>(parsed).message.find("did you mean `priority`?"), std::string::npos);
}

TEST(Submit, NamesTheUnitsOfASizeAndItsLimit) {
  const auto message = [](std::string_view body) {
    return std::get<ApiError>(parse_submit(body)).message;
  };
  EXPECT_NE(message(R"({"memory":"1PiB"})").find("the unit is one of B, KiB"), std::string::npos);
  EXPECT_NE(message(R"({"memory":"1048577TiB"})").find("at most 1048576TiB"), std::string::npos);
  EXPECT_EQ(good_submit(R"({"memory":"1048576TiB"})").request.memory,
            Bytes{std::uint64_t{1} << 60});
}

TEST(Submit, AnIdMayHave128Bytes) {
  EXPECT_EQ(good_submit("{\"id\":\"" + std::string(128, 'x') + "\"}").id.size(), 128u);
  const auto longer = parse_submit("{\"id\":\"" + std::string(129, 'x') + "\"}");
  EXPECT_TRUE(std::holds_alternative<ApiError>(longer));
}

TEST(Submit, NeverThrowsForAnyBytes) {
  std::mt19937_64 random(7);
  const std::string seed =
      R"({"id":"a","cost":5,"pid":"peer","heartbeat":"5s","key":"\u0000","after":["b"],"nice":1,)"
      R"("locks":{"n":"shared:a"},"resources":{"d":1},"params":{"p":"v"},"reasons":["r"]})";
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
