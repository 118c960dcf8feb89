#include "service/protocol/change.h"

#include <gtest/gtest.h>

#include <random>

#include "bad_body.h"

namespace sluice {
namespace {

using bad_body::Bad;

using Where = JobChange::Position::Where;

Change good(const std::string& body) {
  auto parsed = parse_change(body);
  if (auto* error = std::get_if<ApiError>(&parsed)) {
    ADD_FAILURE() << body << ": " << error->message;
    return {};
  }
  return std::get<Change>(parsed);
}

TEST(Change, WhatIsNotGivenStays) {
  for (const char* body : {"", "{}", R"({"priority":null,"locks":null,"position":null})"}) {
    const JobChange change = good(body).change;
    EXPECT_FALSE(change.priority || change.queue || change.position || change.frozen) << body;
    EXPECT_FALSE(change.nice || change.locks || change.global_lock) << body;
  }
}

TEST(Change, TakesEveryField) {
  const Change read =
      good(R"({"priority":9,"queue":"nightly","position":"back","frozen":false,"nice":5,)"
           R"("locks":{"node":"shared:n1"},"global_lock":false})");
  EXPECT_EQ(read.change.priority, 9);
  EXPECT_EQ(read.change.queue, "nightly");
  EXPECT_EQ(read.change.position->where, Where::back);
  EXPECT_EQ(read.change.frozen, false);
  EXPECT_EQ(read.change.nice, 5);
  EXPECT_EQ(read.change.locks->at(0).shared, std::vector<std::string>{"n1"});
  EXPECT_EQ(read.change.global_lock, false);
}

TEST(Change, APositionMayBeBesideAnotherJob) {
  EXPECT_EQ(good(R"({"position":"front"})").change.position->where, Where::front);
  const Change before = good(R"({"position":{"before":"a"}})");
  EXPECT_EQ(before.change.position->where, Where::before);
  EXPECT_EQ(before.of, "a");
  const Change after = good(R"({"position":{"after":7}})");
  EXPECT_EQ(after.change.position->where, Where::after);
  EXPECT_EQ(after.of, "7");
}

class BadChange : public ::testing::TestWithParam<Bad> {};

TEST_P(BadChange, IsRefusedNamingTheField) {
  bad_body::expect_refused(parse_change(GetParam().body), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadChange,
    ::testing::Values(Bad{"[]", "bad_json", ""}, Bad{"{", "bad_json", ""},
                      Bad{R"({"priority":"high"})", "bad_value", "priority"},
                      Bad{R"({"queue":"a b"})", "bad_value", "queue"},
                      Bad{R"({"position":"middle"})", "bad_value", "position"},
                      Bad{R"({"position":{}})", "bad_value", "position"},
                      Bad{R"({"position":{"near":"a"}})", "bad_value", "position"},
                      Bad{R"({"position":{"before":"a","after":"b"}})", "bad_value", "position"},
                      Bad{R"({"position":{"before":""}})", "bad_value", "position"},
                      Bad{R"({"frozen":1})", "bad_value", "frozen"},
                      Bad{R"({"nice":99})", "bad_value", "nice"},
                      Bad{R"({"locks":{"node":"loose"}})", "bad_value", "locks.node"},
                      Bad{R"({"global_lock":0})", "bad_value", "global_lock"},
                      Bad{R"({"cost":5})", "unknown_field", "cost"},
                      Bad{R"({"prioritty":5})", "unknown_field", "prioritty"}));

TEST(Change, DeclaresSomethingOnlyWithLocks) {
  const auto declared = [](std::string_view body) {
    return std::get<Change>(parse_change(body)).declared;
  };
  EXPECT_EQ(declared(R"({"priority":9,"frozen":true,"queue":"q"})"), DeclaredSize{});
  EXPECT_EQ(declared(R"({"global_lock":true})"), DeclaredSize{});
  const DeclaredSize locks{43, 4};
  EXPECT_EQ(declared(R"({"locks":{"node":"shared:a,b exclusive:c"}})"), locks);
}

TEST(Change, NeverThrowsForAnyBytes) {
  std::mt19937_64 random(11);
  const std::string seed =
      R"({"priority":9,"queue":"q","position":{"before":"a"},"locks":{"n":"shared:a"}})";
  for (int round = 0; round < 20000; ++round) {
    std::string body = seed;
    for (int change = 0; change < 3; ++change) {
      body[random() % body.size()] = static_cast<char>(random());
    }
    EXPECT_NO_THROW(parse_change(body.substr(0, random() % (body.size() + 1))));
  }
}

}  // namespace
}  // namespace sluice
