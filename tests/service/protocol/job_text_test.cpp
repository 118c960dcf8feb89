#include "service/protocol/job_text.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

namespace sluice {
namespace {

constexpr std::string_view kTokens = "jobserver:";

JobRequest full() {
  JobRequest job;
  job.id = "build-4711";
  job.key = "build \"quoted\" \xc3\xa4";
  job.program = "g++";
  job.variant = "12,4";
  job.queue = "nightly";
  job.priority = -3;
  job.inventory = 2;
  job.cost = Points{15};
  job.memory = Bytes{std::uint64_t{1} << 40};
  job.nice = 19;
  job.reports_started = job.measured = job.suspendable = job.global_lock = true;
  job.on_failure = OnFailure::hold;
  job.locks = {std::get<LevelLocks>(parse_locks("instance", "exclusive:i1,i2 shared:i3")),
               std::get<LevelLocks>(parse_locks("node", "unknown-shared"))};
  job.resources = {{"db", 2}, {"ports", 0}};
  job.after = {JobId{7}, JobId{18'000'000'000'000'000}};
  job.reasons = {"rate-limit:2:lint", "by hand"};
  job.params = {{"instance", "i1"}, {"note", "a b\tc"}};
  return job;
}

/// Compares all fields of a request.
void expect_same(const JobRequest& read, const JobRequest& job) {
  EXPECT_EQ(read.id, job.id);
  EXPECT_EQ(read.key, job.key);
  EXPECT_EQ(read.program, job.program);
  EXPECT_EQ(read.variant, job.variant);
  EXPECT_EQ(read.queue, job.queue);
  EXPECT_EQ(read.priority, job.priority);
  EXPECT_EQ(read.inventory, job.inventory);
  EXPECT_EQ(read.cost, job.cost);
  EXPECT_EQ(read.memory, job.memory);
  EXPECT_EQ(read.nice, job.nice);
  EXPECT_EQ(read.reports_started, job.reports_started);
  EXPECT_EQ(read.measured, job.measured);
  EXPECT_EQ(read.suspendable, job.suspendable);
  EXPECT_EQ(read.takes_turns, job.takes_turns);
  EXPECT_EQ(read.global_lock, job.global_lock);
  EXPECT_EQ(read.on_failure, job.on_failure);
  EXPECT_EQ(read.locks, job.locks);
  EXPECT_EQ(read.after, job.after);
  EXPECT_EQ(read.reasons, job.reasons);
  EXPECT_EQ(read.params, job.params);
  ASSERT_EQ(read.resources.size(), job.resources.size());
  for (std::size_t at = 0; at < job.resources.size(); ++at) {
    EXPECT_EQ(read.resources[at], job.resources[at]);
  }
}

void expect_round_trip(const JobRequest& job) {
  const std::string text = request_text(job, kTokens);
  const auto read = parse_request(text, kTokens);
  ASSERT_TRUE(std::holds_alternative<StoredRequest>(read)) << text << std::get<std::string>(read);
  expect_same(std::get<StoredRequest>(read).request, job);
}

TEST(JobText, ARequestComesBackAsItWas) {
  JobRequest job = full();
  job.params["note"] = "a b";
  expect_round_trip(job);
  expect_round_trip(JobRequest{});
  job = JobRequest{};
  job.locks = std::vector<LevelLocks>{};  // Declares no locks; not the same as no declaration.
  expect_round_trip(job);
}

TEST(JobText, WhateverIsLeftOutOfARequestStaysOut) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    JobRequest job = full();
    job.params["note"] = "a b";
    const auto drop = [&] { return random() % 2 == 0; };
    if (drop()) job.id.clear();
    if (drop()) job.key.clear();
    if (drop()) job.program.clear();
    if (drop()) job.variant.clear();
    if (drop()) job.queue.clear();
    if (drop()) job.priority.reset();
    if (drop()) job.inventory.reset();
    if (drop()) job.cost.reset();
    if (drop()) job.memory.reset();
    if (drop()) job.nice.reset();
    if (drop()) job.measured = false;
    if (drop()) job.suspendable = false;
    if (drop()) job.takes_turns = true;
    if (drop()) job.global_lock = false;
    if (drop()) job.on_failure = OnFailure::cancel;
    if (drop()) job.locks.reset();
    if (drop()) job.resources.clear();
    if (drop()) job.after.clear();
    if (drop()) job.reasons.clear();
    if (drop()) job.params.clear();
    expect_round_trip(job);
  }
}

TEST(JobText, SaysWhetherAJobTakesTurnsOnlyWhereItsKeyDoesNot) {
  JobRequest job;
  for (const auto& [key, takes_turns, has_word] :
       {std::tuple("make", false, false), std::tuple("make", true, true),
        std::tuple("jobserver:make", true, false), std::tuple("jobserver:make", false, true)}) {
    job.key = key;
    job.takes_turns = takes_turns;
    expect_round_trip(job);
    const bool found = request_text(job, kTokens).find("takes_turns") != std::string::npos;
    EXPECT_EQ(found, has_word) << key;
  }
}

TEST(JobText, OfAnOlderDaemonAJobTakesTurnsByItsKey) {
  const auto turns = [](const char* text) {
    return std::get<StoredRequest>(parse_request(text, kTokens)).request.takes_turns;
  };
  EXPECT_TRUE(turns(R"({"key":"jobserver:make"})"));
  EXPECT_FALSE(turns(R"({"key":"make"})"));
}

TEST(JobText, TheBatchOfAClientComesBackAndATextWithoutOneIsAsBefore) {
  for (const ClientBatch& batch :
       {ClientBatch{}, ClientBatch{"b", 0, 0}, ClientBatch{"b", 16, 0}, ClientBatch{"b", 16, 4}}) {
    JobRequest job = full();
    job.params["note"] = "a b";
    const std::string text = request_text(job, kTokens, batch);
    const auto read = parse_request(text, kTokens);
    ASSERT_TRUE(std::holds_alternative<StoredRequest>(read)) << text;
    EXPECT_EQ(std::get<StoredRequest>(read).batch, batch) << text;
    EXPECT_EQ(text.find("batch") == std::string::npos, batch.id.empty()) << text;
  }
}

TEST(JobText, WhatCannotBeReadSaysWhy) {
  for (const char* text :
       {"", "{", "[]", R"({"cost":0})", R"({"unknown":1})", R"({"after":["build-1"]})"}) {
    const auto read = parse_request(text, kTokens);
    if (std::string_view(text).empty()) continue;  // All defaults, as in a request body.
    ASSERT_TRUE(std::holds_alternative<std::string>(read)) << text;
    EXPECT_FALSE(std::get<std::string>(read).empty()) << text;
  }
}

TEST(JobText, ItemsComeBackAsTheyWere) {
  const std::vector<HeldItems> items{{"ports", {"p1", "p\"2"}}, {"slots", {}}};
  EXPECT_EQ(std::get<std::vector<HeldItems>>(parse_items(items_text(items))), items);
  EXPECT_EQ(items_text({}), "");
  EXPECT_TRUE(std::get<std::vector<HeldItems>>(parse_items("")).empty());
  for (const char* text : {"{", "[]", R"({"ports":1})", R"({"ports":[1]})"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(parse_items(text))) << text;
  }
}

}  // namespace
}  // namespace sluice
