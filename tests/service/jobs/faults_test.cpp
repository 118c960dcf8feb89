// The daemon's handling of unexpected exceptions: every allocation of every route fails once, and
// the accounting stays consistent.
#include "service/jobs/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "allocations.h"
#include "fixture.h"

namespace sluice::testing {
namespace {

std::uint64_t faults_of(const Bench& bench, std::string_view place) {
  std::uint64_t count = 0;
  for (const auto& [name, times] : bench.faults.counts()) count += name == place ? times : 0;
  return count;
}

/// Whether the governor, its points and the leases agree on the jobs.
bool is_whole(const Bench& bench) {
  const std::vector<JobView> jobs = bench.governor.jobs();
  const Status status = bench.governor.status();
  Points used{0};
  for (const JobView& job : jobs) {
    const JobRecord* record = bench.routes->jobs().find(job.id);
    if (!record || record->ended_by || !bench.routes->jobs().leases().terms(job.id)) return false;
    if (job.state == JobState::running) used += job.cost;
  }
  return jobs.size() == bench.routes->jobs().leases().size() && used == status.usage &&
         jobs.size() == status.running + status.pending;
}

std::set<JobId> alive(const Bench& bench) {
  std::set<JobId> jobs;
  for (const JobView& job : bench.governor.jobs()) jobs.insert(job.id);
  return jobs;
}

struct Asking {
  const char* method;
  std::string target;
  std::string body = {};
  const char* first = "";  ///< A body submitted beforehand, without failure.
};

class EveryAllocation : public ::testing::TestWithParam<Asking> {};

TEST_P(EveryAllocation, MayFailAndTheAccountsAreWhole) {
  const Asking& asking = GetParam();
  GovernorOptions options = fixed_window(20);
  options.queueing.queues = {{"default", {}}, {"nightly", {}}};
  Bench bench(options);
  bench.ask("POST", "/v1/jobs",
            R"({"id":"runs","cost":10,"key":"a key of more than a few bytes"})");
  bench.ask("POST", "/v1/jobs", R"({"id":"waits","cost":20,"locks":{"node":"exclusive:n1,n2"}})");
  std::uint64_t refused = 0;
  for (std::uint64_t number = 1;; ++number) {
    ASSERT_LT(number, 5000u);
    if (*asking.first) bench.ask("POST", "/v1/jobs", asking.first);
    const std::set<JobId> before = alive(bench);
    fail_allocation(number);
    const auto answer = bench.ask(asking.method, asking.target, asking.body, number + 100);
    const bool is_over = !has_failed();
    fail_allocation(0);
    const bool failed = answer && answer->status == 500;
    refused += failed ? 1 : 0;
    ASSERT_TRUE(bench.pump_until([&] { return is_whole(bench); })) << "allocation " << number;
    if (failed) {
      EXPECT_NE(answer->body.find("internal_error"), std::string::npos) << answer->body;
      const std::set<JobId> after = alive(bench);
      EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()))
          << "allocation " << number << ": nobody was told of a job that is there";
    }
    bench.routes->connection_closed(http::ConnectionId{number + 100});
    bench.ask("DELETE", "/v1/jobs/new");
    bench.ask("POST", "/v1/resume");
    if (is_over) break;
  }
  EXPECT_GT(refused, 0u) << "nothing has failed";
  EXPECT_EQ(faults_of(bench, "request"), refused);
  for (const JobId job : alive(bench)) {
    bench.ask("DELETE", "/v1/jobs/" + std::to_string(job.value));
  }
  EXPECT_TRUE(bench.pump_until([&] { return bench.usage() == Points{0}; }));
  EXPECT_TRUE(alive(bench).empty());
}

const char* const kNew = R"({"id":"new","cost":1,"key":"a key of more than a few bytes"})";

INSTANTIATE_TEST_SUITE_P(
    Routes, EveryAllocation,
    ::testing::Values(
        Asking{"POST", "/v1/jobs", kNew},
        Asking{"POST", "/v1/jobs",
               R"({"id":"new","cost":20,"hold":"connection","heartbeat":"1min","after":["runs"],
                   "locks":{"node":"shared:n1,n3"},"reasons":["rate-limit:3:some label of mine"],
                   "params":{"name":"a value that is long enough"},"queue":"nightly"})"},
        Asking{"POST", "/v1/jobs?wait=10s", R"({"id":"new","cost":20,"pid":"peer"})"},
        Asking{"POST", "/v1/jobs", R"({"id":"runs","cost":10})"}, Asking{"GET", "/v1/jobs"},
        Asking{"GET", "/v1/jobs/runs"}, Asking{"GET", "/v1/jobs/waits"},
        Asking{"GET", "/v1/jobs/waits?wait=10s"},
        Asking{"PATCH", "/v1/jobs/waits",
               R"({"priority":3,"queue":"nightly","locks":{"node":"shared:a,b,c"}})"},
        Asking{"PATCH", "/v1/jobs/runs", R"({"locks":{"node":"exclusive:a,b,c"}})"},
        Asking{"POST", "/v1/jobs/runs/started"},
        Asking{"POST", "/v1/jobs/runs/heartbeat", R"({"usage":{"memory":1000}})"},
        Asking{"DELETE", "/v1/jobs/new?outcome=failed", "", kNew},
        Asking{"DELETE", "/v1/jobs/new?outcome=oom", R"({"usage":{"memory":1000}})",
               R"({"id":"new","cost":20,"locks":{"node":"exclusive:n1,n2"}})"},
        Asking{"POST", "/v1/jobservers", R"({"id":"new","key":"build","program":"make"})"},
        Asking{"GET", "/v1/jobservers"}, Asking{"GET", "/v1/status"}, Asking{"GET", "/v1/timeline"},
        Asking{"GET", "/v1/fit?key=k&program=p"}, Asking{"GET", "/v1/history"},
        Asking{"GET", "/v1/events"}, Asking{"GET", "/"}, Asking{"POST", "/v1/pause"},
        Asking{"POST", "/v1/resume"}, Asking{"POST", "/v1/queues/nightly/pause"},
        Asking{"POST", "/v1/queues/nightly/resume"}, Asking{"POST", "/v1/reload"},
        Asking{"POST", "/v1/attach"}, Asking{"GET", "/metrics"}, Asking{"GET", "/health/status"},
        Asking{"GET", "/no/such/path/at/all"}));

TEST(Faults, ThreeInAMinuteAreNotReady) {
  Bench bench;
  const auto status = [&] { return bench.ask("GET", "/readyz")->status; };
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(status(), 200);
    fail_allocation(1);
    EXPECT_EQ(bench.ask("GET", "/v1/status")->status, 500);
    fail_allocation(0);
    bench.now += std::chrono::seconds(10);
  }
  EXPECT_EQ(status(), 503);
  bench.now += std::chrono::seconds(29);
  EXPECT_EQ(status(), 503);
  bench.now += std::chrono::seconds(1);
  EXPECT_EQ(status(), 200);
}

TEST(Faults, ADaemonLivesOnAndSaysWhereItFailed) {
  bool throws = true;
  RunningDaemon daemon("", {}, [&throws](TimePoint) -> std::vector<MemoryLimit> {
    if (throws) throw std::out_of_range("somebody else's mistake");
    return {};
  });
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"measured":true,"suspendable":true})");
  const auto beat = [&] {
    return daemon.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage":{"memory":1000}})").status;
  };
  EXPECT_EQ(beat(), 500);
  EXPECT_NE(daemon.log().find("internal error in request heartbeat: somebody else's mistake"),
            std::string::npos)
      << daemon.log();
  EXPECT_NE(daemon.ask("GET", "/metrics")
                .body.find("sluice_internal_errors_total{place=\"request\"} 1\n"),
            std::string::npos);
  throws = false;
  EXPECT_EQ(beat(), 200);
  EXPECT_EQ(daemon.ask("DELETE", "/v1/jobs/a").status, 200);
  EXPECT_NE(daemon.ask("GET", "/v1/status").body.find("\"usage\":0"), std::string::npos);
}

}  // namespace
}  // namespace sluice::testing
