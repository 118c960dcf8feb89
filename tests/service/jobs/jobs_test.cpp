// Leases against a real governor: every cause returns the points, once.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "fixture.h"

namespace sluice::testing {
namespace {
using namespace std::chrono_literals;

std::uint64_t ended(Bench& bench, LeaseEnd end) {
  return bench.routes->jobs().leases().ended()[static_cast<std::size_t>(end)];
}

const JobRecord& job(Bench& bench, const char* id) { return *bench.routes->jobs().find(id); }

TEST(Jobs, EndWithTheirConnection) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"hold":"connection"})", 7);
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":5,"hold":"connection"})", 8);
  bench.ask("POST", "/v1/jobs", R"({"id":"c","cost":5})", 7);
  bench.routes->jobs().connection_closed(http::ConnectionId{7});
  bench.routes->jobs().connection_closed(http::ConnectionId{7});
  EXPECT_EQ(bench.usage(), Points{10});
  EXPECT_EQ(ended(bench, LeaseEnd::connection), 1u);
  EXPECT_EQ(job(bench, "a").outcome, Outcome::cancelled);
}

TEST(Jobs, ThatPendAreCancelledWithTheirConnection) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})", 1);
  EXPECT_FALSE(bench.ask("POST", "/v1/jobs?wait=30s", R"({"cost":20,"hold":"connection"})", 7));
  bench.routes->jobs().connection_closed(http::ConnectionId{7});
  EXPECT_EQ(bench.governor.status().pending, 0u);
  EXPECT_TRUE(bench.replies.empty()) << "nobody is there to be answered";
}

TEST(Jobs, EndWithTheirProcess) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"pid":99})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":5,"pid":"peer"})");
  ASSERT_EQ(bench.watched.size(), 2u);
  EXPECT_EQ(bench.watched[0].second, 99);
  EXPECT_EQ(bench.watched[1].second, 4242);
  bench.routes->jobs().process_ended(JobId{1});
  bench.routes->jobs().process_ended(JobId{1});
  EXPECT_EQ(bench.usage(), Points{5});
  EXPECT_EQ(ended(bench, LeaseEnd::process), 1u);
  EXPECT_EQ(bench.unwatched, std::vector<std::uint64_t>{1});
}

TEST(Jobs, EndAtTheirDeadlineUnlessTheyShowLife) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"heartbeat":"60s"})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":5,"heartbeat":"60s"})");
  const TimePoint start = bench.now;
  bench.now = start + 50s;
  EXPECT_EQ(bench.ask("POST", "/v1/jobs/a/heartbeat")->status, 200);
  EXPECT_EQ(bench.routes->jobs().next_deadline(), start + 60s);
  bench.routes->jobs().tick(start + 60s);
  EXPECT_EQ(bench.usage(), Points{5});
  EXPECT_EQ(job(bench, "b").ended_by, LeaseEnd::deadline);
  bench.routes->jobs().tick(start + 110s);
  EXPECT_EQ(bench.usage(), Points{0});
  EXPECT_EQ(ended(bench, LeaseEnd::deadline), 2u);
}

TEST(Jobs, WhoWaitsForAnAnswerIsAlive) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20,"hold":"connection"})");
  EXPECT_FALSE(
      bench.ask("POST", "/v1/jobs?wait=5min", R"({"id":"b","cost":20,"heartbeat":"1s"})", 3));
  bench.routes->jobs().tick(bench.now + 2s);
  EXPECT_EQ(job(bench, "b").state(), "pending");
  bench.routes->jobs().connection_closed(http::ConnectionId{3});
  bench.routes->jobs().tick(bench.now + 4s);
  EXPECT_EQ(job(bench, "b").ended_by, LeaseEnd::deadline);
}

TEST(Jobs, AreFinishedOnlyOnceWhateverComesLater) {
  Bench bench;
  bench.ask("POST", "/v1/jobs",
            R"({"id":"a","cost":5,"pid":9,"hold":"connection","heartbeat":"1s"})", 7);
  bench.ask("DELETE", "/v1/jobs/a");
  bench.routes->jobs().process_ended(JobId{1});
  bench.routes->jobs().connection_closed(http::ConnectionId{7});
  bench.routes->jobs().tick(bench.now + 1h);
  EXPECT_EQ(bench.governor.status().counters.finished[0], 1u);
  std::uint64_t all = 0;
  for (const auto count : bench.routes->jobs().leases().ended()) all += count;
  EXPECT_EQ(all, 1u);
}

TEST(Jobs, APermitThatComesTooLateIsGivenBack) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":20})");
  bench.ask("POST", "/v1/jobs", R"({"id":"b","cost":20})");
  bench.ask("DELETE", "/v1/jobs/a");
  // The governor has admitted b, but its permit has not reached this thread yet.
  ASSERT_TRUE(eventually([&] { return bench.governor.status().running == 1; }));
  bench.ask("DELETE", "/v1/jobs/b");
  EXPECT_EQ(job(bench, "b").outcome, Outcome::cancelled);
  EXPECT_TRUE(bench.pump_until([&] { return bench.usage() == Points{0}; }));
}

TEST(Jobs, TheLastThousandEndedOnesAreRemembered) {
  Bench bench;
  for (std::size_t n = 0; n <= kRememberedJobs; ++n) {
    const std::string id = "j" + std::to_string(n);
    bench.ask("POST", "/v1/jobs", "{\"cost\":5,\"id\":\"" + id + "\"}");
    bench.ask("DELETE", "/v1/jobs/" + id);
  }
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/j0")->status, 404);
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/j1")->status, 200);
}

TEST(Jobs, DeclarationsHaveABound) {
  Bench bench(fixed_window(20), 4500);
  const std::string large = R"({"cost":20,"reasons":[")" + std::string(1000, 'r') + "\"]}";
  const auto submit = [&] { return bench.ask("POST", "/v1/jobs", large)->status; };
  for (int n = 1; n <= 3; ++n) EXPECT_EQ(submit(), 201);
  const std::string locks = R"({"locks":{"node":"shared:)" + std::string(200, 'n') + "\"}}";
  for (int n = 0; n < 9; ++n) EXPECT_EQ(bench.ask("PATCH", "/v1/jobs/2", locks)->status, 200);
  EXPECT_EQ(submit(), 201) << "what replaces something is not counted again";
  EXPECT_EQ(submit(), 429);
  EXPECT_EQ(bench.ask("PATCH", "/v1/jobs/3", locks)->status, 429);
  bench.ask("DELETE", "/v1/jobs/4");
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/4")->status, 200) << "known as long as there is room";
  EXPECT_EQ(submit(), 201);
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/4")->status, 404);
}

TEST(Jobs, AreChangedWithoutRoomIfTheChangeDeclaresNoMore) {
  Bench bench(fixed_window(20), 1300);
  bench.ask("POST", "/v1/jobs", R"({"cost":20})");
  const auto lock = [](std::size_t size) {
    return R"({"locks":{"node":"shared:)" + std::string(size, 'n') + "\"}}";
  };
  const std::string large = R"({"cost":20,"reasons":[")" + std::string(1000, 'r') + "\"]}";
  EXPECT_EQ(bench.ask("POST", "/v1/jobs", large)->status, 201);
  const auto change = [&](const std::string& body) {
    return bench.ask("PATCH", "/v1/jobs/2", body)->status;
  };
  EXPECT_EQ(change(lock(200)), 200);
  ASSERT_EQ(bench.ask("POST", "/v1/jobs", large)->status, 429) << "nothing is left";
  EXPECT_EQ(change(lock(200)), 200) << "replaces locks of the same size";
  EXPECT_EQ(change(lock(210)), 200) << "only what it adds needs room";
  EXPECT_EQ(change(lock(255)), 429);
  const std::string blanks(2000, ' ');
  EXPECT_EQ(change(R"({"priority":9,"frozen":true})" + blanks), 200) << "an operator's relief";
  EXPECT_EQ(change(R"({"nice":5,"position":"front"})" + blanks), 200) << "nor is it counted";
  EXPECT_EQ(change(lock(205)), 200);
}

TEST(Jobs, EachTakesRoomHoweverLittleItDeclares) {
  KnownJobs known(kMostDeclaredBytes, counted_bytes({30, 0}, 3));
  for (std::uint64_t n = 1; n <= 3; ++n) {
    ASSERT_FALSE(known.make_room({10, 0}, 1)) << n;
    known.add(JobId{n}, "", {10, 0});
  }
  const auto full = known.make_room({}, 1);
  ASSERT_TRUE(full);
  EXPECT_EQ(full->status, 429);
  EXPECT_NE(full->message.find("the 3 pending and running jobs use all memory"), std::string::npos)
      << full->message;
  EXPECT_TRUE(known.make_room_for_change(known.at(JobId{1}), {1, 0})) << "a change declares more";
  EXPECT_FALSE(known.make_room_for_change(known.at(JobId{1}), {}));
  known.note_end(JobId{2});
  EXPECT_FALSE(known.make_room({10, 0}, 1)) << "an ended one is forgotten for it";
  EXPECT_EQ(known.find(JobId{2}), nullptr);
}

TEST(Jobs, EachElementTakesRoomHoweverShortItIs) {
  KnownJobs known(kMostDeclaredBytes, counted_bytes({100, 50}, 1));
  EXPECT_TRUE(known.make_room({100, 51}, 1));
  ASSERT_FALSE(known.make_room({100, 40}, 1));
  JobRecord& job = known.add(JobId{1}, "", {100, 40});
  ASSERT_FALSE(known.make_room_for_change(job, {0, 10}));
  known.count_change(job, {0, 10});
  EXPECT_TRUE(known.make_room_for_change(job, {0, 11})) << "ten are counted";
  EXPECT_FALSE(known.make_room_for_change(job, {0, 10})) << "they replace those";
  known.note_end(JobId{1});
  EXPECT_FALSE(known.make_room({100, 50}, 1)) << "what a forgotten job declared is free";
}

/// deploy/kubernetes: 5000 jobs in 64 MiB, of which an eighth is for jobs.
constexpr std::size_t kRoomOfASidecar = (std::size_t{64} << 20) / 8;

TEST(Jobs, TheRoomOfASidecarHoldsTheJobsThatItsManifestAllowsAndNotTwiceAsMany) {
  EXPECT_GE(kRoomOfASidecar / counted_bytes({50, 1}, 1), 5000U);
  EXPECT_LE(kRoomOfASidecar / kBytesPerJob, 10000U) << "19,000 were killed for memory";
}

TEST(Jobs, AsManyAsTheRoomOfASidecarHoldsFitItsMemoryWhateverTheyDeclare) {
  struct Kind {
    const char* name;
    DeclaredSize size;
    std::size_t measured;  ///< KiB of resident memory for each job, waiting or after a restart.
  };
  const Kind kinds[] = {{"nothing", {28, 0}, 5},
                        {"a variant, a key and a program", {1478, 0}, 16},
                        {"3 long reasons", {3049, 3}, 27},
                        {"30 parameters", {1200, 30}, 43},
                        {"100 short parameters", {1029, 100}, 41},
                        {"100 short reasons", {440, 100}, 16},
                        {"100 rate limits", {2203, 100}, 64},
                        {"100 jobs in `after`", {505, 100}, 15},
                        {"1000 names of locks", {5707, 1001}, 547}};
  for (const Kind& kind : kinds) {
    const std::size_t jobs = kRoomOfASidecar / counted_bytes(kind.size, 1);
    EXPECT_LE(jobs * kind.measured, 40U << 10) << kind.name << ": a daemon without jobs takes 16";
  }
}

/// Its holder says how long it has run, and leaves the CPU time to the daemon.
TEST(Jobs, ARateIsMeasuredByTheMomentOfTheReadingAndAHistoryByTheWholeTime) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"id":"a","cost":5,"measured":true,"pid":99})");
  bench.now += 4s;
  LeaseCpu& read = bench.cpu[1];
  read.span = 3700ms;
  read.age = 300ms;
  read.cpu = 3s;
  bench.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage":{"wall":4}})");
  EXPECT_EQ(job(bench, "a").told->wall, 3700ms);
  EXPECT_EQ(job(bench, "a").usage->wall, 4s);
  read.age = 550ms;
  bench.ask("POST", "/v1/jobs/a/heartbeat", R"({"usage":{"wall":4}})");
  EXPECT_EQ(job(bench, "a").told->wall, 3700ms) << "it does not go back";
}

TEST(Jobs, APeerNobodyCanSeeIsSaidSo) {
  Bench bench;
  http::Request request;
  request.method = "POST";
  request.target = "/v1/jobs";
  request.body = R"({"pid":"peer"})";
  request.peer.user = 0;
  const auto response = bench.ask(request);
  EXPECT_EQ(response->status, 400);
  EXPECT_NE(response->body.find("no_process"), std::string::npos);
}

}  // namespace
}  // namespace sluice::testing
