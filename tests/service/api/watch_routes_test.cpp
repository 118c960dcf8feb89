// The means to watch a daemon: its last hour, its events and its page; and what no request may
// hold.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "fixture.h"
#include "raw_socket.h"
#include "service/api/event_feed.h"
#include "service/api/jobs_overview.h"
#include "service/api/page_files.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;
using namespace std::chrono_literals;

constexpr const char* kListen = "GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n";

/// The data of the first event of this name.
json::object data_of(const std::string& heard, const std::string& event) {
  const std::string start = "event: " + event + "\ndata: ";
  const std::size_t from = heard.find(start) + start.size();
  return json::parse(heard.substr(from, heard.find('\n', from) - from)).as_object();
}

TEST(Watch, TheTimelineBeginsWithTheDaemon) {
  const RunningDaemon daemon;
  ASSERT_TRUE(eventually([&] {
    const auto reply = daemon.ask("GET", "/v1/timeline");
    return json::parse(reply.body).at("window").as_array().size() == 1;
  }));
  const json::value timeline = json::parse(daemon.ask("GET", "/v1/timeline").body);
  EXPECT_EQ(timeline.at("window").at(0), 20);
  EXPECT_EQ(json::parse(daemon.ask("GET", "/v1/history").body).at("window").at(0), 20);
  EXPECT_EQ(timeline.at("usage").at(0), 0);
  EXPECT_EQ(timeline.at("step"), 5);
  EXPECT_TRUE(timeline.at("cuts").as_array().empty());
}

TEST(Watch, TheOldNameOfTheTimelineAnswersTheSameAndNamesTheNewOne) {
  Bench bench;
  const auto current = bench.ask("GET", "/v1/timeline");
  const auto old = bench.ask("GET", "/v1/history");
  ASSERT_EQ(current->status, 200);
  EXPECT_EQ(old->status, 200);
  const auto columns = [](const std::string& body) {
    json::object timeline = json::parse(body).as_object();
    timeline.erase("now");
    return json::serialize(timeline);
  };
  EXPECT_EQ(columns(old->body), columns(current->body));
  EXPECT_EQ(current->headers, "");
  EXPECT_EQ(old->headers,
            "Deprecation: @1795305600\r\nLink: </v1/timeline>; rel=\"successor-version\"\r\n");
}

TEST(Watch, ACutIsKeptWithTheSensorThatCausedIt) {
  const TemporaryFolder folder;
  write_file(folder.path("heat"), "10\n");
  const RunningDaemon daemon(
      "window: {law: rfc, initial: 60, minimum: 20, interval: 50ms}\n"
      "sensors: {load: off, cpu_pressure: off, memory: off, memory_pressure: off,\n"
      "          io_pressure: off, cgroup: off, disk: off, pids: off, starting: off,\n"
      "          heat: {kind: file, path: " +
      folder.path("heat") + ", limit: 40, acts: congestion}}\n");
  ASSERT_EQ(daemon.ask("GET", "/v1/status").status, 200);
  write_file(folder.path("heat"), "90\n");
  json::value cut;
  ASSERT_TRUE(eventually([&] {
    const json::value timeline = json::parse(daemon.ask("GET", "/v1/timeline").body);
    if (timeline.at("cuts").as_array().empty()) return false;
    cut = timeline.at("cuts").at(0);
    return true;
  }));
  EXPECT_EQ(cut.at("from"), 60);
  EXPECT_LT(cut.at("to").as_int64(), 60);
  EXPECT_EQ(cut.at("cause"), "red");
  EXPECT_EQ(cut.at("sensor"), "heat");
  EXPECT_NE(std::string(cut.at("reason").as_string()).find("90"), std::string::npos)
      << cut.at("reason");
}

TEST(Watch, EventsTellTheStatusAtOnceAndThenEverySecond) {
  const RunningDaemon daemon;
  const RawSocket socket(daemon.socket());
  socket.say(kListen);
  const std::string first = socket.hear("event: jobs\n");
  EXPECT_TRUE(first.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")) << first;
  EXPECT_EQ(first.find("Content-Length"), std::string::npos);
  EXPECT_EQ(data_of(first, "status").at("jobs").at("running"), 0);
  daemon.ask("POST", "/v1/jobs", R"({"id":"a","cost":15})");
  daemon.ask("POST", "/v1/jobs", R"({"id":"b","cost":15})");
  const std::string next = socket.hear("\"id\":\"b\"");
  EXPECT_EQ(data_of(next, "status").at("jobs").at("running"), 1);
  EXPECT_NE(next.find("\"code\":\"window\""), std::string::npos) << next;
}

TEST(Watch, WhoListensMayStaySilentForLong) {
  http::Limits limits;
  limits.idle_unix = limits.request = 10ms;
  const RunningDaemon daemon("", limits);
  const RawSocket socket(daemon.socket());
  socket.say(kListen);
  for (int second = 0; second < 3; ++second) {
    EXPECT_NE(socket.hear("event: status\n").find("event: status\n"), std::string::npos);
  }
}

TEST(Watch, TheEndOfTheDaemonEndsTheStream) {
  RunningDaemon daemon;
  const RawSocket socket(daemon.socket());
  socket.say(kListen);
  socket.hear("event: jobs\n");
  daemon.stop();
  EXPECT_EQ(socket.hear().find("<nothing more"), std::string::npos);
}

TEST(Watch, WhoTakesNothingIsCutOffAndHoldsUpNobody) {
  http::Limits limits;
  limits.write = 1s;
  const RunningDaemon daemon("", limits);
  const RawSocket lazy(daemon.socket());
  // Long keys make unread events fill the socket soon.
  for (int job = 0; job < 60; ++job) {
    daemon.ask("POST", "/v1/jobs",
               R"({"cost":20,"key":")" + std::string(250, 'k') + std::to_string(job) + "\"}");
  }
  lazy.say(kListen);
  const auto open = [&] {
    const std::string metrics = daemon.ask("GET", "/metrics").body;
    const std::string name = "\nsluice_client_connections ";
    return std::stoi(metrics.substr(metrics.find(name) + name.size()));
  };
  ASSERT_TRUE(eventually([&] { return open() == 2; })) << "the lazy one and who asks";
  ASSERT_TRUE(eventually([&] { return open() == 1; }));
  EXPECT_LT(lazy.hear().size(), 1'000'000u);
}

TEST(Watch, WhoReadsNothingIsClosedThoughTheKernelHasRoomForMore) {
  http::Limits limits;
  limits.write = 1s;
  const RunningDaemon daemon("", limits);
  const RawSocket reads(daemon.socket());
  reads.say(kListen);
  const RawSocket lazy(daemon.socket());
  lazy.say(kListen);
  const RawSocket far(connect_tcp(daemon.listen()));
  far.say("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto open = [&] {
    char text[65536];
    while (recv(reads.descriptor(), text, sizeof text, MSG_DONTWAIT) > 0) continue;
    const std::string metrics = daemon.ask("GET", "/metrics").body;
    const std::string name = "\nsluice_client_connections ";
    return std::stoi(metrics.substr(metrics.find(name) + name.size()));
  };
  ASSERT_TRUE(eventually([&] { return open() == 4; })) << "the three and who asks";
  ASSERT_TRUE(eventually([&] { return open() == 2; }));
  EXPECT_NE(reads.hear("event: status\n").find("event: status\n"), std::string::npos);
}

TEST(Watch, AHeadOfTheEventsIsNoListener) {
  Bench bench;
  const auto response = bench.ask("HEAD", "/v1/events");
  EXPECT_EQ(response->status, 200);
  EXPECT_TRUE(response->body.empty());
  const RunningDaemon daemon;
  const RawSocket socket(daemon.socket());
  socket.say("HEAD /v1/events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_NE(socket.hear().find("\r\n\r\n"), std::string::npos) << "and the connection ends";
}

TEST(Watch, TooManyListenersAreTold) {
  Bench bench;
  for (std::uint64_t id = 1; id <= EventFeed::kMostListeners; ++id) {
    ASSERT_EQ(bench.ask("GET", "/v1/events", "", id)->status, 200);
  }
  const auto response = bench.ask("GET", "/v1/events", "", 1000);
  EXPECT_EQ(response->status, 503);
  EXPECT_NE(response->body.find("100 clients already listen to events on the Unix socket"),
            std::string::npos)
      << response->body;
  EXPECT_EQ(response->then, http::Response::Then::end);
  bench.routes->connection_closed(http::ConnectionId{7});
  EXPECT_EQ(bench.ask("GET", "/v1/events", "", 1001)->status, 200);
}

JobView waiting_view(std::uint64_t id, const std::string& queue, std::size_t place) {
  JobView view;
  view.id = JobId{id};
  view.request.queue = queue;
  view.place = place;
  return view;
}

TEST(Watch, TheOverviewIsBoundedAndShowsTheFirstOfEachQueue) {
  std::vector<JobView> views;
  for (std::uint64_t id = 0; id < 10000; ++id) views.push_back(waiting_view(id, "a", id + 1));
  views.push_back(waiting_view(20001, "b", 1));
  views.push_back(waiting_view(20002, "b", 2));
  const std::string text = jobs_overview_json(
      views, [](JobId job) { return std::to_string(job.value); }, [](JobId) { return nullptr; },
      {});
  const json::value overview = json::parse(text);
  EXPECT_EQ(overview.at("pending"), 10002);
  EXPECT_EQ(overview.at("running"), 0);
  const json::array& jobs = overview.at("jobs").as_array();
  ASSERT_EQ(jobs.size(), kOverviewJobs);
  EXPECT_EQ(jobs[1].at("id"), "20001");
  EXPECT_EQ(jobs[3].at("id"), "20002");
  EXPECT_EQ(text.find('\n'), std::string::npos) << "an event's data is one line";
}

TEST(Watch, ThePageIsServedPackedToWhoTakesThat) {
  Bench bench;
  http::Request request;
  request.method = "GET";
  request.target = "/";
  request.peer.user = 0;
  for (const char* accept : {"", "identity", "gzip;q=0", "gzip;q=0.0, br"}) {
    request.accept_encoding = accept;
    const auto plain = bench.ask(request);
    EXPECT_TRUE(plain->body.starts_with("<!doctype html>")) << accept;
    EXPECT_EQ(plain->headers.find("Content-Encoding"), std::string::npos);
  }
  for (const char* accept : {"gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.8"}) {
    request.accept_encoding = accept;
    const auto packed = bench.ask(request);
    EXPECT_TRUE(packed->body.starts_with("\x1f\x8b")) << accept;
    EXPECT_NE(packed->headers.find("Content-Encoding: gzip\r\n"), std::string::npos);
    EXPECT_EQ(packed->content_type, "text/html; charset=utf-8");
  }
}

TEST(Watch, ThePageMayAskNobodyElseAndRunNothingElse) {
  Bench bench;
  for (const PageFile& file : page_files()) {
    const auto response = bench.ask("GET", "/page/" + std::string(file.name));
    ASSERT_EQ(response->status, 200) << file.name;
    EXPECT_NE(response->headers.find("default-src 'none'; script-src 'self'; style-src 'self'"),
              std::string::npos);
    EXPECT_EQ(response->headers.find("unsafe"), std::string::npos);
    for (const char* line :
         {"frame-ancestors 'none'", "X-Frame-Options: DENY\r\n", "Referrer-Policy: no-referrer\r\n",
          "Cross-Origin-Resource-Policy: same-origin\r\n"}) {
      EXPECT_NE(response->headers.find(line), std::string::npos) << file.name << ": " << line;
    }
  }
  EXPECT_EQ(bench.ask("GET", "/page/other.js")->status, 404);
  EXPECT_EQ(bench.ask("GET", "/page/..%2Fsecret")->status, 404);
  EXPECT_EQ(bench.ask("POST", "/")->status, 405);
}

TEST(Watch, ThePageIsSmallAndKeepsItsLibrarysLicence) {
  std::size_t packed = 0, plain = 0;
  for (const PageFile& file : page_files()) {
    packed += file.gzipped.size();
    plain += file.plain.size();
    if (file.name != "dygraph-licence.txt") continue;
    EXPECT_NE(file.plain.find("Permission is hereby granted, free of charge"), file.plain.npos);
  }
  EXPECT_LT(packed, 70'000u);
  EXPECT_LT(plain, 200'000u) << "also where nothing is packed";
}

/// Queues a job without a record, as this user.
void submit_unrecorded(Bench& bench, const std::string& user) {
  JobRequest request;
  request.user = user;
  request.key = "work";
  request.cost = Points{10};
  bench.governor.submit(std::move(request), [](JobId, Admission) {});
}

TEST(WorkSourceJobs, AreListedAndExplainedByNumberLikeThoseOfClients) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"cost":15})");
  submit_unrecorded(bench, "gearman:host:4730");
  const json::value listed = json::parse(bench.ask("GET", "/v1/jobs?state=pending")->body);
  ASSERT_EQ(listed.at("jobs").as_array().size(), 1u);
  const json::value& job = listed.at("jobs").at(0);
  EXPECT_EQ(job.at("id"), "2");
  EXPECT_EQ(job.at("key"), "work");
  EXPECT_EQ(job.at("state"), "pending");
  EXPECT_TRUE(job.at("lease").is_null());
  const char* const why = "needs 10 points, 5 of 20 points are free";
  EXPECT_EQ(job.at("refusal").at("message"), why);
  const auto shown = bench.ask("GET", "/v1/jobs/2");
  ASSERT_EQ(shown->status, 200);
  EXPECT_EQ(json::parse(shown->body).at("explain").at("blockers").at(0).at("message"), why);
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/2?wait=1s")->status, 400);
}

TEST(WorkSourceJobs, AreNotForClientsToChangeOrEnd) {
  Bench bench;
  bench.ask("POST", "/v1/jobs", R"({"cost":15})");
  submit_unrecorded(bench, "gearman:host:4730");
  for (const char* method : {"PATCH", "DELETE"}) {
    const auto refused = bench.ask(method, "/v1/jobs/2", "{}");
    EXPECT_EQ(refused->status, 409) << method;
    EXPECT_NE(refused->body.find("belongs to a work source"), std::string::npos) << method;
  }
  EXPECT_EQ(bench.governor.status().pending, 1u);
}

TEST(WorkSourceJobs, AreNotAllThatHaveNoRecord) {
  Bench bench;
  submit_unrecorded(bench, "1000");
  EXPECT_TRUE(json::parse(bench.ask("GET", "/v1/jobs")->body).at("jobs").as_array().empty());
  EXPECT_EQ(bench.ask("GET", "/v1/jobs/1")->status, 404) << "a token of a jobserver is no job";
}

TEST(Requests, AParameterThatIsGivenTwiceOrEmptyIsNamed) {
  Bench bench;
  const auto error_of = [&](const char* target) {
    return json::parse(bench.ask("POST", target, "{}")->body).at("error").as_object();
  };
  const json::object twice = error_of("/v1/jobs?wait=1s&wait=2s"),
                     empty = error_of("/v1/jobs?wait");
  EXPECT_EQ(twice.at("message"), "`wait` is given twice");
  EXPECT_EQ(twice.at("field"), "wait");
  EXPECT_EQ(empty.at("message"), "`wait` has no value");
  EXPECT_EQ(empty.at("field"), "wait");
  EXPECT_EQ(bench.governor.status().running, 0u);
  EXPECT_EQ(bench.ask("GET", "/v1/fit?key=&program=")->status, 200) << "a job without names";
}

TEST(Requests, ABodyOfARequestWithoutFieldsIsRefusedBeforeItActs) {
  Bench bench;
  EXPECT_EQ(bench.ask("POST", "/v1/pause", R"({"for":"1h"})")->status, 400);
  EXPECT_FALSE(bench.governor.status().paused);
  EXPECT_EQ(bench.ask("POST", "/v1/pause", "{}")->status, 200);
  EXPECT_TRUE(bench.governor.status().paused);
}

}  // namespace
}  // namespace sluice::testing
