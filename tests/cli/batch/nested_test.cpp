#include "cli/batch/nested.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace sluice::cli {
namespace {
using Numbers = std::vector<std::size_t>;

/// Controls an `AdmissionBackend` and records its calls.
struct Script {
  AdmissionBackend::Events events;
  Numbers submitted, ended;
  std::vector<JobRequest> requests;
  bool withdrawn = false;
  std::size_t most = 100;
  std::optional<AdmissionBackend::Wait> wait;

  void admit(std::size_t seq, std::int64_t cost, const std::string& said) {
    AdmissionBackend::Admitted admitted{seq, cost, {}};
    admitted.terms.environment["SAID"] = said;
    admitted.terms.environment[said] = "1";
    events.admitted.push_back(std::move(admitted));
  }
};

class ScriptedBackend : public AdmissionBackend {
 public:
  explicit ScriptedBackend(Script& script) : script_(script) {}
  std::string check(const JobRequest&) const override { return ""; }
  void submit(std::size_t seq, const JobRequest& job) override {
    script_.submitted.push_back(seq);
    script_.requests.push_back(job);
  }
  Events poll_events() override { return std::exchange(script_.events, {}); }
  std::vector<int> descriptors() const override { return {}; }
  void started(std::size_t, pid_t) override {}
  void measured(std::size_t, const JobUsage&) override {}
  void ended(std::size_t seq, Outcome, const std::optional<JobUsage>&) override {
    script_.ended.push_back(seq);
  }
  void withdraw() override { script_.withdrawn = true; }
  std::size_t most_waiting() const override { return script_.most; }
  std::optional<Status> status() const override { return std::nullopt; }
  std::optional<Wait> why_waiting() const override { return script_.wait; }
  std::optional<HostView> view() const override { return std::nullopt; }

 private:
  Script& script_;
};

class AskingBackendTest : public ::testing::Test {
 protected:
  Numbers taken() {
    Numbers all;
    last = backend->poll_events();
    for (const auto& admitted : last.admitted) all.push_back(admitted.seq);
    return all;
  }
  void submit(std::size_t count) {
    for (std::size_t seq = 1; seq <= count; ++seq) backend->submit(seq, {});
  }
  void lose() { outer.events.lost = "gone"; }

  Script inner, outer, later;
  bool is_back = false;
  std::unique_ptr<AdmissionBackend> backend = asking_backend(
      std::make_unique<ScriptedBackend>(inner), std::make_unique<ScriptedBackend>(outer),
      [this] { return is_back ? std::make_unique<ScriptedBackend>(later) : nullptr; });
  AdmissionBackend::Events last;
};

TEST_F(AskingBackendTest, AJobComesOnceBothHaveLetItOnTheTermsOfBoth) {
  submit(1);
  EXPECT_EQ(outer.submitted, Numbers{}) << "it may not run here yet";
  inner.admit(1, 5, "inner");
  EXPECT_EQ(taken(), Numbers{});
  EXPECT_EQ(outer.submitted, Numbers{1});
  outer.admit(1, 4, "outer");
  EXPECT_EQ(taken(), Numbers{1});
  EXPECT_EQ(last.admitted[0].cost, 4);
  const auto& environment = last.admitted[0].terms.environment;
  EXPECT_EQ(environment.at("SAID"), "outer");
  EXPECT_TRUE(environment.contains("inner"));
  backend->ended(1, Outcome::ok, std::nullopt);
  EXPECT_EQ(inner.ended, Numbers{1});
  EXPECT_EQ(outer.ended, Numbers{1});
}

TEST_F(AskingBackendTest, AJobThatWaitsForTheOuterOneSaysWhatTheOuterOneSays) {
  inner.wait = {"window window", "inner"};
  outer.wait = {"paused pause", "outer"};
  submit(1);
  EXPECT_EQ(taken(), Numbers{});
  EXPECT_EQ(backend->why_waiting()->sentence, "inner");
  inner.admit(1, 5, "inner");
  EXPECT_EQ(taken(), Numbers{});
  EXPECT_EQ(backend->why_waiting()->sentence, "outer");
  outer.wait.reset();
  EXPECT_EQ(backend->why_waiting()->sentence, "inner") << "others may wait here";
}

TEST_F(AskingBackendTest, ForLackOfDescriptorsAJobIsAskedForAgainOrRunsAloneIfNoneRuns) {
  const auto fail_to_ask = [&] { outer.events.unasked.push_back({2, EMFILE, "too many"}); };
  submit(2);
  inner.admit(1, 5, "inner");
  inner.admit(2, 5, "inner");
  EXPECT_EQ(taken(), Numbers{});
  outer.admit(1, 5, "outer");
  fail_to_ask();
  EXPECT_EQ(taken(), Numbers{1});
  EXPECT_EQ(outer.submitted, (Numbers{1, 2, 2}));
  fail_to_ask();
  EXPECT_EQ(taken(), Numbers{});
  EXPECT_EQ(outer.submitted, (Numbers{1, 2, 2, 2}));
  backend->ended(1, Outcome::ok, std::nullopt);
  fail_to_ask();
  EXPECT_EQ(taken(), Numbers{2});
}

TEST_F(AskingBackendTest, WhatOnlyTheConfigurationHereKnowsIsNotAskedForThere) {
  JobRequest job;
  job.key = "k";
  job.queue = "mine";
  job.resources = {{"mine", 1}};
  job.cost = Points{3};
  backend->submit(1, job);
  inner.admit(1, 3, "inner");
  taken();
  ASSERT_EQ(outer.requests.size(), 1u);
  EXPECT_EQ(outer.requests[0].key, "k");
  EXPECT_EQ(outer.requests[0].cost, Points{3});
  EXPECT_EQ(outer.requests[0].queue, "");
  EXPECT_TRUE(outer.requests[0].resources.empty());
}

TEST_F(AskingBackendTest, NoMoreAreAskedForThanTheOuterOneTakesAtOnce) {
  outer.most = 2;
  submit(3);
  for (std::size_t seq : {3, 1, 2}) inner.admit(seq, 1, "inner");
  taken();
  EXPECT_EQ(outer.submitted, (Numbers{3, 1})) << "in the order of the inner one";
  outer.admit(3, 1, "outer");
  EXPECT_EQ(taken(), Numbers{3});
  EXPECT_EQ(outer.submitted, (Numbers{3, 1, 2}));
}

TEST_F(AskingBackendTest, WhatTheOuterOneRefusesGivesItsPointsBack) {
  submit(1);
  inner.admit(1, 5, "inner");
  taken();
  outer.events.refused.push_back({1, "no"});
  EXPECT_EQ(taken(), Numbers{});
  ASSERT_EQ(last.refused.size(), 1u);
  EXPECT_EQ(last.refused[0].why, "no");
  EXPECT_EQ(inner.ended, Numbers{1});
}

TEST_F(AskingBackendTest, WithoutTheOuterOneJobsRunOneAtATime) {
  submit(3);
  for (std::size_t seq : {1, 2, 3}) inner.admit(seq, 1, "inner");
  taken();
  outer.admit(1, 1, "outer");
  lose();
  EXPECT_EQ(taken(), Numbers{1});
  EXPECT_EQ(last.lost, "") << "the batch goes on";
  EXPECT_EQ(taken(), Numbers{});
  backend->ended(1, Outcome::ok, std::nullopt);
  EXPECT_EQ(taken(), Numbers{2});
  EXPECT_EQ(taken(), Numbers{});
  backend->ended(2, Outcome::ok, std::nullopt);
  EXPECT_EQ(taken(), Numbers{3});
}

TEST_F(AskingBackendTest, OnceItIsBackItIsAskedForWhatWaits) {
  submit(3);
  for (std::size_t seq : {1, 2, 3}) inner.admit(seq, 1, "inner");
  taken();
  lose();
  EXPECT_EQ(taken(), Numbers{1});
  is_back = true;
  const auto until = Clock::now() + std::chrono::seconds(30);
  while (later.submitted.empty() && Clock::now() < until) EXPECT_EQ(taken(), Numbers{});
  EXPECT_EQ(later.submitted, (Numbers{2, 3}));
}

TEST_F(AskingBackendTest, WhatIsTakenBackGivesItsPointsBack) {
  submit(2);
  inner.admit(1, 5, "inner");
  taken();
  backend->withdraw();
  EXPECT_TRUE(inner.withdrawn);
  EXPECT_TRUE(outer.withdrawn);
  EXPECT_EQ(inner.ended, Numbers{1});
  outer.admit(1, 5, "outer");
  EXPECT_EQ(taken(), Numbers{}) << "late events for what was taken back";
}

}  // namespace
}  // namespace sluice::cli
