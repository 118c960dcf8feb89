// What jobs write to their store and restore from it, without a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <variant>

#include "costmodel/job_key.h"
#include "fixture.h"
#include "service/jobs/job_store.h"
#include "service/protocol/job_text.h"

namespace sluice::testing {
namespace {
using namespace std::chrono_literals;

/// The content of the file, which outlives the stores.
struct Kept {
  std::map<std::uint64_t, StoredJob> jobs;
  std::vector<JobId> failed;
  StoredState::Boot boot = StoredState::Boot::same;
  std::optional<std::string> failing;
  std::string secret;
  std::size_t puts = 0, replaced = 0;
};

/// As the file has it: the request is text there.
StoredJob as_stored(StoredJob job) {
  const std::string text = request_text(job.job.request, kTokenKey, job.batch);
  auto read = std::get<StoredRequest>(parse_request(text, kTokenKey));
  job.job.request = std::move(read.request);
  job.batch = std::move(read.batch);
  return job;
}

class FakeStore final : public JobStore {
 public:
  explicit FakeStore(Kept& kept) : kept_(kept) {}

  StoredState load() override {
    StoredState state;
    for (const auto& [number, job] : kept_.jobs) state.jobs.push_back(as_stored(job));
    state.last = JobId{kept_.jobs.empty() ? 0 : kept_.jobs.rbegin()->first + 100};
    state.failed = kept_.failed;
    state.boot = kept_.boot;
    state.permit_secret = kept_.secret;
    return state;
  }
  void put(const StoredJob& job) override {
    ++kept_.puts;
    if (!kept_.failing) kept_.jobs[job.job.id.value] = job;
  }
  void remove(JobId job, End end) override {
    if (kept_.failing) return;
    kept_.jobs.erase(job.value);
    if (end == End::badly) kept_.failed.push_back(job);
  }
  void renew(const std::vector<std::pair<JobId, TimePoint>>& renewals) override {
    for (const auto& [job, time] : renewals) kept_.jobs.at(job.value).lease.renewed = time;
  }
  void replace(const std::vector<StoredJob>& jobs) override {
    ++kept_.replaced;
    kept_.failing.reset();
    kept_.jobs.clear();
    for (const StoredJob& job : jobs) put(job);
  }
  void store_secret(const std::string& secret) override { kept_.secret = secret; }
  void release_memory() override {}
  std::optional<std::string> failing() const override { return kept_.failing; }
  std::string path() const override { return "nowhere"; }

 private:
  Kept& kept_;
};

/// A bench whose jobs are kept in `kept`.
struct KeptBench : Bench {
  explicit KeptBench(Kept& kept, GovernorOptions options = fixed_window(20))
      : Bench(std::move(options)) {
    restart = routes->jobs().attach_store(std::make_unique<FakeStore>(kept), now);
  }
  std::string state(const char* id) const {
    const JobRecord* job = routes->jobs().find(id);
    return job ? std::string(job->state()) : "unknown";
  }
  Jobs::Restart restart;
};

std::uint64_t ended_saved(Bench& bench, LeaseEnd end) {
  return bench.routes->jobs().leases().ended()[static_cast<std::size_t>(end)];
}

TEST(JobsState, AJobIsKeptBeforeItsAnswerAndUntilItIsOver) {
  Kept kept;
  KeptBench bench(kept);
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"pid":99})")->status, 201);
  ASSERT_EQ(kept.jobs.size(), 1u);
  EXPECT_EQ(kept.puts, 1u) << "an admission costs one row";
  EXPECT_TRUE(kept.jobs.at(1).job.admitted);
  EXPECT_EQ(kept.jobs.at(1).lease.process, (LeaseProcess{99, 1}));
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_FALSE(kept.jobs.at(2).job.admitted);
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(bench.pump_until([&] { return bench.state("b") == "running"; }));
  EXPECT_TRUE(kept.jobs.at(2).job.admitted);
  bench.ask("DELETE", "/v1/jobs/b?outcome=failed");
  EXPECT_TRUE(kept.jobs.empty());
  EXPECT_EQ(kept.failed, std::vector<JobId>{JobId{2}});
}

TEST(JobsState, ATokenIsWorthTheSameAfterARestart) {
  Kept kept;
  std::string token;
  const auto child_of_token = [&](Bench& bench) {
    const auto answer =
        bench.ask("POST", "/v1/jobs", R"({"id":"child","cost":5,"parent":")" + token + "\"}");
    const std::string state(boost::json::parse(answer->body).at("state").as_string());
    bench.ask("DELETE", "/v1/jobs/child");
    return state;
  };
  {
    KeptBench bench(kept);
    const auto answer = bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"heartbeat":"90s"})");
    token = boost::json::parse(answer->body).at("permit").as_string();
    EXPECT_EQ(child_of_token(bench), "running");
  }
  {
    KeptBench bench(kept);
    ASSERT_EQ(bench.state("a"), "running");
    EXPECT_EQ(child_of_token(bench), "running");
    bench.ask("DELETE", "/v1/jobs/a");
    bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
    EXPECT_EQ(child_of_token(bench), "pending") << "its job is over";
  }
}

TEST(JobsState, ChangesAndSignsOfLifeAreKept) {
  Kept kept;
  KeptBench bench(kept);
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"reports_started":true})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":5})");
  bench.ask("POST", "/v1/jobs", R"({"id":"c","cost":5})");
  EXPECT_TRUE(kept.jobs.at(1).job.starting);
  bench.ask("POST", "/v1/jobs/a/started");
  EXPECT_FALSE(kept.jobs.at(1).job.starting);
  bench.ask("PATCH", "/v1/jobs/c", R"({"position":"front","frozen":true,"priority":4})");
  EXPECT_TRUE(kept.jobs.at(3).job.frozen);
  EXPECT_EQ(kept.jobs.at(3).job.request.priority, 4);
  EXPECT_LT(kept.jobs.at(3).job.order.whole, kept.jobs.at(2).job.order.whole);
  bench.now += 10s;
  bench.ask("POST", "/v1/jobs/a/heartbeat");
  bench.routes->jobs().flush(bench.now);
  EXPECT_EQ(kept.jobs.at(1).lease.renewed, bench.now);
}

TEST(JobsState, WhatRanIsAdoptedWithItsCostAndEndsByItsProcess) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":12,"pid":99})");
  }
  KeptBench bench(kept);
  EXPECT_EQ(bench.restart.adopted, 1u);
  EXPECT_EQ(bench.usage(), Points{12});
  EXPECT_EQ(bench.watched, (std::vector<std::pair<std::uint64_t, pid_t>>{{1, 99}}));
  bench.routes->jobs().process_ended(JobId{1});
  bench.routes->jobs().process_ended(JobId{1});
  EXPECT_EQ(bench.usage(), Points{0});
  EXPECT_EQ(ended_saved(bench, LeaseEnd::process), 1u);
  EXPECT_TRUE(kept.jobs.empty());
}

TEST(JobsState, AJobserversSlotTakesTurnsAlsoAfterARestartAndAClientsJobOfSuchAKeyNever) {
  Kept kept;
  const auto turns = [](const Bench& bench) {
    std::string names;
    for (const char* id : {"slot", "waits", "mine", "mine-waits", "job"}) {
      if (bench.routes->jobs().find(id)->request.takes_turns) names += std::string(id) + " ";
    }
    return names;
  };
  {
    KeptBench bench(kept);
    const auto open = [&](const char* id, Points cost) {  // As POST /v1/jobservers does.
      Submit slot;
      slot.id = id;
      slot.process = pid_t{99};
      slot.request.key = "jobserver:make";
      slot.request.cost = cost;
      slot.request.takes_turns = true;
      http::Peer root;
      root.pid = 4242;
      root.user = 0;
      bench.routes->jobs().submit(std::move(slot), http::ConnectionId{1}, root, bench.now);
    };
    open("slot", Points{5});
    bench.ask("POST", "/v1/jobs", R"({"id":"mine","key":"jobserver:mine","cost":5,"pid":99})");
    bench.ask("POST", "/v1/jobs", R"({"id":"job","key":"make","cost":5,"pid":99})");
    open("waits", Points{20});
    bench.ask("POST", "/v1/jobs", R"({"id":"mine-waits","key":"jobserver:mine","cost":20})");
    EXPECT_EQ(bench.state("mine-waits"), "pending");
    EXPECT_EQ(turns(bench), "slot waits ");
  }
  for (int restart = 0; restart < 2; ++restart) EXPECT_EQ(turns(KeptBench(kept)), "slot waits ");
}

TEST(JobsState, TheBatchOfAClientIsKnownAlsoAfterRestarts) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs",
              R"({"id":"a","pid":99,"batch":"b","batch_waiting":16,"batch_unfinished":8})");
    bench.ask("POST", "/v1/jobs", R"({"id":"c","pid":99})");
  }
  for (int restart = 0; restart < 2; ++restart) {
    KeptBench bench(kept);
    EXPECT_EQ(bench.routes->jobs().find("a")->batch, (ClientBatch{"b", 16, 8}));
    EXPECT_EQ(bench.routes->jobs().find("c")->batch, ClientBatch{});
  }
}

TEST(JobsState, ARecycledProcessNumberIsNeverAdopted) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.started[99] = 1000;
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":12,"pid":99})");
  }
  kept.jobs.at(1).lease.process->started = 999;  // The earlier process; 99 is a different one now.
  Bench bench;
  bench.started[99] = 1000;
  const auto restart =
      bench.routes->jobs().attach_store(std::make_unique<FakeStore>(kept), bench.now);
  EXPECT_EQ(restart.released, 1u);
  EXPECT_EQ(restart.lines, std::vector<std::string>{"job a (running): its process 99 is gone"});
  EXPECT_EQ(bench.usage(), Points{0});
  EXPECT_EQ(ended_saved(bench, LeaseEnd::process), 1u);
  EXPECT_TRUE(kept.jobs.empty());
}

TEST(JobsState, WhatPendedWaitsOnInOrderAndIsAdmittedAndAnswered) {
  Kept kept;
  TimePoint arrived;
  {
    KeptBench bench(kept);
    arrived = bench.now;
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
    bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
    bench.ask("POST", "/v1/jobs", R"({"id":"c","cost":20})");
  }
  KeptBench bench(kept);
  EXPECT_EQ(bench.restart.restored, 2u);
  EXPECT_EQ(bench.routes->jobs().find("b")->arrived, arrived);
  const auto again = bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  EXPECT_EQ(again->status, 200) << "the same id is the same job";
  EXPECT_EQ(bench.governor.status().pending, 2u);
  bench.ask("DELETE", "/v1/jobs/a");
  EXPECT_TRUE(bench.pump_until([&] { return bench.state("b") == "running"; }));
  EXPECT_EQ(bench.state("c"), "pending");
  bench.ask("POST", "/v1/jobs", R"({"id":"d","cost":20})");
  EXPECT_GT(bench.routes->jobs().find("d")->number, JobId{3});
}

TEST(JobsState, AConnectionIsGoneWithTheDaemonUnlessAProcessDecides) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"hold":"connection"})");
    bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":6,"hold":"connection","pid":99})");
  }
  KeptBench bench(kept);
  EXPECT_EQ(bench.usage(), Points{6});
  EXPECT_EQ(bench.routes->jobs().find("a")->ended_by, LeaseEnd::connection);
  EXPECT_EQ(ended_saved(bench, LeaseEnd::connection), 1u);
}

TEST(JobsState, AfterAnotherBootNothingRunsAndWhatWaitsWaitsOn) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"heartbeat":"60s"})");
    bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20,"heartbeat":"60s"})");
    bench.ask("POST", "/v1/jobs", R"({"id":"c","cost":20,"pid":99})");
  }
  kept.boot = StoredState::Boot::other;
  KeptBench bench(kept);
  EXPECT_EQ(bench.restart.released, 2u);
  EXPECT_EQ(bench.restart.restored, 1u);
  EXPECT_EQ(kept.replaced, 1u) << "times are of this boot from now on";
  EXPECT_TRUE(bench.pump_until([&] { return bench.state("b") == "running"; }));
  EXPECT_EQ(bench.routes->jobs().find("a")->outcome, Outcome::cancelled);
}

TEST(JobsState, ADeadlineGoesOnAfterTheRestart) {
  Kept kept;
  TimePoint renewed;
  {
    KeptBench bench(kept);
    renewed = bench.now;
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"heartbeat":"60s"})");
  }
  KeptBench bench(kept);
  EXPECT_EQ(bench.routes->jobs().next_deadline(), renewed + 60s);
  bench.routes->jobs().tick(renewed + 60s);
  EXPECT_EQ(ended_saved(bench, LeaseEnd::deadline), 1u);
}

TEST(JobsState, ItemsAreNotHandedOutTwice) {
  GovernorOptions options = fixed_window(20);
  options.queueing.resources["ports"].kind = ResourceOptions::Kind::discrete;
  options.queueing.resources["ports"].items = {"p1", "p2"};
  Kept kept;
  {
    KeptBench bench(kept, options);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":1,"resources":{"ports":1}})");
    bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":1,"resources":{"ports":1}})");
    bench.ask("DELETE", "/v1/jobs/a");
  }
  KeptBench bench(kept, options);
  const auto next = bench.ask("POST", "/v1/jobs", R"({"id":"c","cost":1,"resources":{"ports":1}})");
  EXPECT_NE(next->body.find(R"("ports":["p1"])"), std::string::npos) << next->body;
  const auto last = bench.ask("POST", "/v1/jobs", R"({"id":"d","cost":1,"resources":{"ports":1}})");
  EXPECT_NE(last->body.find(R"("state":"pending")"), std::string::npos) << last->body;
}

TEST(JobsState, StoppingAnswersWhoWaitsAndKeepsTheJobs) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"hold":"connection","pid":99})", 3);
    EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=30s", R"({"id":"b","cost":20})", 4));
    bench.routes->stop();
    bench.routes->jobs().connection_closed(http::ConnectionId{3});
    ASSERT_EQ(bench.replies.size(), 1u);
    EXPECT_EQ(bench.replies[0].second.status, 503);
    EXPECT_NE(bench.replies[0].second.body.find("keeps waiting"), std::string::npos);
  }
  KeptBench bench(kept);
  EXPECT_EQ(bench.state("a"), "running");
  EXPECT_EQ(bench.state("b"), "pending");
}

TEST(JobsState, AFailingStoreKeepsNobodyFromRunningAndIsGivenAllAgain) {
  Kept kept;
  KeptBench bench(kept);
  kept.failing = "no space left";
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5})");
  EXPECT_EQ(bench.state("a"), "running");
  EXPECT_TRUE(kept.jobs.empty());
  Jobs& jobs = bench.routes->jobs();
  jobs.flush(bench.now);
  jobs.flush(bench.now + 5s);
  EXPECT_EQ(kept.replaced, 0u);
  jobs.flush(bench.now + 10s);
  EXPECT_EQ(kept.jobs.size(), 1u);
  jobs.flush(bench.now + 60s);
  EXPECT_EQ(kept.replaced, 1u);
}

TEST(JobsState, AProcessThatCannotBeWatchedIsWatchedLater) {
  Kept kept;
  {
    KeptBench bench(kept);
    bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"pid":99})");
  }
  Bench bench;
  bench.watch_problem = "too many open files";
  Jobs& jobs = bench.routes->jobs();
  jobs.attach_store(std::make_unique<FakeStore>(kept), bench.now);
  EXPECT_EQ(bench.usage(), Points{5});
  bench.watch_problem.reset();
  jobs.flush(bench.now);
  EXPECT_EQ(bench.watched.size(), 1u);
  jobs.flush(bench.now);
  EXPECT_EQ(bench.watched.size(), 1u);
}

}  // namespace
}  // namespace sluice::testing
