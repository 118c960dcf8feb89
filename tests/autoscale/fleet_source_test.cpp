#include "autoscale/fleet_source.h"

#include <gtest/gtest.h>

#include "autoscale/fleet_averages.h"
#include "autoscale/fleet_gearman.h"
#include "fixture.h"
#include "raw_server.h"

namespace sluice {
namespace {

TEST(EndpointTest, Parses) {
  using Kind = Endpoint::Kind;
  struct Case {
    const char* text;
    Endpoint place;
  };
  const Case cases[] = {
      {"node001:9797", {Kind::plain, "node001", "9797", ""}},
      {"[::1]:9797", {Kind::plain, "::1", "9797", ""}},
      {"http://prometheus:9090/prefix/", {Kind::plain, "prometheus", "9090", "/prefix"}},
      {"http://prometheus", {Kind::plain, "prometheus", "80", ""}},
      {"https://[fd00::1]:6443", {Kind::tls, "fd00::1", "6443", ""}},
      {"https://api", {Kind::tls, "api", "443", ""}},
      {"/run/sluice.sock", {Kind::unix_socket, "/run/sluice.sock", "", ""}},
      {"unix:/run/sluice.sock", {Kind::unix_socket, "/run/sluice.sock", "", ""}}};
  for (const Case& each : cases) {
    const auto place = parse_endpoint(each.text);
    ASSERT_TRUE(std::holds_alternative<Endpoint>(place)) << each.text;
    EXPECT_EQ(std::get<Endpoint>(place), each.place) << each.text;
  }
  for (const char* text :
       {"", "node001", "node001:", ":9797", "node001:0", "node001:65536", "node001:x", "a b:1",
        "unix:run", "::1:9797", "node001:1/x", "http://", "http://a:1\r\nX: y",
        "file:///etc/hostname", "ftp://127.0.0.1:21", "ftp://127.0.0.1/x", "gopher://127.0.0.1:70/",
        "dict://127.0.0.1:2628", "scp://h:22/x"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(parse_endpoint(text))) << text;
  }
}

TEST(ExecutorListTest, TakesNamesWithAddresses) {
  const auto executors = std::get<std::vector<ExecutorObservation>>(
      parse_executors("# fleet\n\nnode001 10.0.0.1:9797\nnode002=/run/x.sock\n10.0.0.3:9797\n"));
  ASSERT_EQ(executors.size(), 3U);
  EXPECT_EQ(executors[0].id, "node001");
  EXPECT_EQ(to_string(executors[1].place), "/run/x.sock");
  EXPECT_EQ(executors[2].id, "10.0.0.3:9797");
  EXPECT_TRUE(std::holds_alternative<std::string>(parse_executors("node001 nowhere")));
  EXPECT_TRUE(std::holds_alternative<std::string>(parse_executors("$(x) 10.0.0.1:9797")));
}

TEST(ReportTest, TakesADaemonsOwnStatus) {
  const testing::RunningDaemon daemon(testing::kSmallWindow);
  const Endpoint place{Endpoint::Kind::unix_socket, daemon.socket(), "", ""};
  for (const char* job :
       {R"({"cost": 15, "heartbeat": "60s"})", R"({"cost": 10, "heartbeat": "60s"})",
        R"({"cost": 7, "heartbeat": "60s"})"}) {
    daemon.ask("POST", "/v1/jobs", job);
  }
  const auto report = std::get<ExecutorReport>(ask_executor(place, {}));
  EXPECT_EQ(report.window, Points{20});
  EXPECT_EQ(report.usage, Points{15});
  EXPECT_EQ(report.running, 1);
  EXPECT_EQ(report.pending, 2);
  ASSERT_EQ(report.queued.size(), 2U);
  EXPECT_EQ(report.queued[0].cost.value + report.queued[1].cost.value, 17);
  EXPECT_FALSE(report.idle());
  EXPECT_EQ(tell_executor(place, "drain", {}).jobs, 3);
  EXPECT_TRUE(std::get<ExecutorReport>(ask_executor(place, {})).draining);
  EXPECT_EQ(tell_executor(place, "resume", {}).problem, "");
}

TEST(ReportTest, AnExecutorThatRefusesToDrainOverTcpNamesTheTokensOption) {
  const testing::RawServer server([](const testing::RawSocket& socket) {
    socket.say("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
  });
  const std::string& port = server.port();
  const Endpoint place{Endpoint::Kind::plain, "127.0.0.1", port, ""};
  AskingOptions options;
  EXPECT_EQ(tell_executor(place, "drain", options).problem,
            "127.0.0.1:" + port + " answers 403 to POST /v1/drain; --token-file is not given");
  options.token = "secret";
  EXPECT_NE(tell_executor(place, "drain", options)
                .problem.find("; it does not take the token of --token-file"),
            std::string::npos);
  EXPECT_EQ(std::get<std::string>(ask_executor(place, options)),
            "127.0.0.1:" + port + " answers 403 to GET /v1/status");
}

TEST(ReportTest, RefusesWhatCannotBe) {
  const auto status = [](const char* size, const char* uptime) {
    return std::string(R"({"window": {"size": )") + size + R"(, "usage": 0}, "uptime": )" + uptime +
           R"(, "draining": false, "jobs": {"running": 0, "pending": 0}, "queues": [],
              "sensors": [], "counters": {"wait_seconds": 0, "duration_seconds": 0, "admitted": 0,
              "finished": {"ok": 0, "failed": 0, "oom": 0, "cancelled": 0}}})";
  };
  EXPECT_TRUE(std::holds_alternative<ExecutorReport>(parse_report(status("20", "1.5"))));
  struct Case {
    std::string text, problem;
  };
  const Case cases[] = {{status("-1", "1"), "it reports -1 as `window/size`, which is impossible"},
                        {status("1e300", "1"), "window/size"},
                        {status("null", "1"), "it reports no number as `window/size`"},
                        {status("20", "-5"), "it reports -5 as `uptime`, which is impossible"},
                        {status("20", "1e99"), "uptime"},
                        {"{}", "window/size"},
                        {"nonsense", "not from a sluice daemon"},
                        {"[]", "not from a sluice daemon"}};
  for (const Case& each : cases) {
    const auto report = parse_report(each.text);
    ASSERT_TRUE(std::holds_alternative<std::string>(report)) << each.text;
    EXPECT_NE(std::get<std::string>(report).find(each.problem), std::string::npos)
        << std::get<std::string>(report);
  }
}

TEST(ReportTest, SaysUnderTheKneeWhetherItIsFull) {
  const auto fullness = [](const char* law, const char* rest) {
    const auto report =
        parse_report(std::string(R"({"window": {"size": 20, "usage": 0, "law": ")") + law +
                     R"("}, "uptime": 1, "draining": false, "jobs":
        {"running": 0, "pending": 0}, "queues": [], "sensors": [], "counters": {"wait_seconds": 0,
        "duration_seconds": 0, "admitted": 0, "finished": {"ok": 0, "failed": 0, "oom": 0,
        "cancelled": 0}})" +
                     rest + "}");
    return std::get<ExecutorReport>(report).fullness;
  };
  const char* is_short = R"(, "short_of_capacity": true, "full": null)";
  EXPECT_EQ(fullness("knee", is_short), Fullness::full);
  EXPECT_EQ(fullness("adaptive", is_short), Fullness::unknown);
  EXPECT_EQ(fullness("knee", ""), Fullness::unknown) << "a daemon that does not say it";
  EXPECT_EQ(fullness("knee", R"(, "short_of_capacity": false, "full": null)"), Fullness::has_room);
  EXPECT_EQ(fullness("knee", R"(, "short_of_capacity": false, "full": {"code": "paused"})"),
            Fullness::has_room);
  EXPECT_EQ(fullness("knee", R"(, "short_of_capacity": false, "full": {"code": "window"})"),
            Fullness::full)
      << "what waits may wait elsewhere";
  EXPECT_EQ(fullness("knee", R"(, "short_of_capacity": true, "full": {"code": "sensor"})"),
            Fullness::red);
}

TEST(ReportTest, CountsEndsThatDaemonsOfBeforeDoNotKnow) {
  const auto ended = [](const char* more) {
    const auto report = parse_report(
        std::string(R"({"window": {"size": 1, "usage": 0}, "uptime": 1, "draining": false,
            "jobs": {"running": 0, "pending": 0}, "queues": [], "sensors": [],
            "counters": {"wait_seconds": 0, "duration_seconds": 0, "admitted": 9,
            "finished": {"ok": 4, "failed": 3, "oom": 2, "cancelled": 1)") +
        more + "}}}");
    return std::get<ExecutorReport>(report).ended;
  };
  EXPECT_EQ(ended(""), 10U);
  EXPECT_EQ(ended(R"(, "unknown": 5)"), 15U);
}

TEST(ReportTest, JobsThatNoExecutorCouldStartAreHeld) {
  ExecutorReport report;
  report.pending = 6;
  const auto job = [](const char* refusal) {
    return std::string(
               "{\"cost\":10,\"age\":1,\"queue\":\"default\",\"frozen\":false,"
               "\"refusal\":{\"code\":\"") +
           refusal + "\"}}";
  };
  const std::string jobs =
      "{\"jobs\":[" + job("window") + "," + job("dependency") + "," + job("rule") + "]}";
  const auto filled = with_jobs(report, jobs);
  const auto* read = std::get_if<ExecutorReport>(&filled);
  ASSERT_TRUE(read) << std::get<std::string>(filled);
  ASSERT_EQ(read->queued.size(), 6U) << "those that are not listed are as the others";
  EXPECT_EQ(std::count_if(read->queued.begin(), read->queued.end(),
                          [](const QueuedJob& each) { return each.held; }),
            4);
}

TEST(ObservationTest, OneThatDoesNotAnswerIsNotSeen) {
  NamedExecutors named;
  named.executors.push_back(std::get<ExecutorObservation>(parse_executor("gone=/nowhere/socket")));
  const FleetObservation fleet = observe_fleet(named, std::nullopt, {});
  ASSERT_EQ(fleet.executors.size(), 1U);
  EXPECT_FALSE(fleet.executors[0].report.has_value());
  EXPECT_EQ(fleet.executors[0].problem, "/nowhere/socket: No such file or directory");
  EXPECT_EQ(fleet.blind, "");
}

TEST(ObservationTest, AListThatCannotBeHadMakesBlind) {
  EXPECT_EQ(
      observe_fleet(ListedExecutors{{"/bin/sh", "-c", "echo no network; exit 4"}}, std::nullopt, {})
          .blind,
      "the list of executors: /bin/sh: exit status 4, no network");
  EXPECT_EQ(observe_fleet(ListedExecutors{{"echo", "a 10.0.0.1:1\na 10.0.0.2:1"}}, std::nullopt, {})
                .blind,
            "two executors have the name `a`");
  const CentralQueue queue{{Endpoint::Kind::plain, "127.0.0.1", "1", ""}, {}};
  EXPECT_NE(observe_fleet(NamedExecutors{}, queue, {}).blind.find("gearmand at 127.0.0.1:1"),
            std::string::npos);
}

TEST(GearmanQueueTest, CountsWhatNoWorkerHas) {
  const std::string status = "build\t7\t2\t3\ntest\t5\t0\t0\nempty\t0\t0\t1\n.\n";
  EXPECT_EQ(std::get<std::int64_t>(waiting_in(status, {})), 10);
  EXPECT_EQ(std::get<std::int64_t>(waiting_in(status, {"build", "unknown"})), 5);
  for (const char* text : {"", "build\t7\t2\t3\n", "build\t-7\t2\t3\n.\n", "build\tx\t2\t3\n.\n",
                           "build\t99999999999999999999\t0\t0\n.\n", "HTTP/1.1 400 Bad\r\n.\n"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(waiting_in(text, {}))) << text;
  }
}

std::string prometheus_answer(const std::string& window, const std::string& up = "1",
                              const std::string& more = "") {
  std::string text = R"({"status": "success", "data": {"resultType": "vector", "result": [)";
  const std::vector<std::pair<std::string, std::string>> series = {
      {"up", up},
      {"process_start_time_seconds", "1000"},
      {"sluice_window_size", window},
      {"sluice_window_usage", "15"},
      {"sluice_draining", "0"},
      {"sluice_jobs_running", "2"},
      {"sluice_jobs_pending", "3"},
      {"sluice_pending_cost", "21"},
      {"sluice_jobs_held", "1"},
      {"sluice_held_cost", "9"},
      {"sluice_queue_head_wait_seconds", "12.5"},
      {"sluice_admission_wait_seconds_sum", "30"},
      {"sluice_admission_wait_seconds_count", "10"},
      {"sluice_job_duration_seconds_sum", "900"},
      {"sluice_job_duration_seconds_count", "9"}};
  for (const auto& [name, value] : series) {
    text += (text.ends_with('[') ? "" : ",") + std::string(R"({"metric": {"__name__": ")") + name +
            R"(", "instance": "10.0.0.1:9797"}, "value": [4600.5, ")" + value + "\"]}";
  }
  return text + more + "]}}";
}

TEST(PrometheusTest, SaysUnderTheKneeWhetherItIsFull) {
  const auto series = [](const std::string& name, const std::string& value) {
    return R"(,{"metric": {"__name__": ")" + name +
           R"(", "instance": "10.0.0.1:9797"}, "value": [4600.5, ")" + value + "\"]}";
  };
  const auto fullness = [](const std::string& more) {
    const auto executors = std::get<std::vector<ExecutorObservation>>(
        read_prometheus(prometheus_answer("20", "1", more)));
    return executors[0].report->fullness;
  };
  const std::string knee = series(R"(sluice_window_law_info", "law": "knee)", "1");
  EXPECT_EQ(fullness(knee + series("sluice_full", "1")), Fullness::full);
  EXPECT_EQ(fullness(knee + series("sluice_full", "0")), Fullness::has_room);
  EXPECT_EQ(fullness(knee), Fullness::unknown);
  EXPECT_EQ(fullness(series(R"(sluice_window_law_info", "law": "adaptive)", "1") +
                     series("sluice_full", "1")),
            Fullness::unknown);
  const std::string target = prometheus_target("");
  EXPECT_NE(target.find("window_law_info"), std::string::npos);
  EXPECT_NE(target.find("%7Cfull%7C"), std::string::npos) << target;
}

TEST(PrometheusTest, ReadsAFleet) {
  const auto executors =
      std::get<std::vector<ExecutorObservation>>(read_prometheus(prometheus_answer("20")));
  ASSERT_EQ(executors.size(), 1U);
  EXPECT_EQ(executors[0].id, "10.0.0.1");
  EXPECT_EQ(to_string(executors[0].place), "10.0.0.1:9797");
  ASSERT_TRUE(executors[0].report.has_value()) << executors[0].problem;
  const ExecutorReport& report = *executors[0].report;
  EXPECT_EQ(report.window, Points{20});
  EXPECT_EQ(report.up, std::chrono::milliseconds(3600500));
  ASSERT_EQ(report.queued.size(), 3U);
  EXPECT_EQ(report.queued[0].cost, Points{6});
  EXPECT_FALSE(report.queued[1].held);
  EXPECT_EQ(report.queued[2].cost, Points{9});
  EXPECT_TRUE(report.queued[2].held);
  EXPECT_EQ(report.queued[0].waited, std::chrono::milliseconds(12500));
  EXPECT_EQ(report.ended, 9U);
}

TEST(PrometheusTest, WhatIsNoNumberIsNotSeen) {
  for (const char* value : {"NaN", "+Inf", "-20", "1e12", "", "x"}) {
    const auto executors =
        std::get<std::vector<ExecutorObservation>>(read_prometheus(prometheus_answer(value)));
    ASSERT_EQ(executors.size(), 1U);
    EXPECT_FALSE(executors[0].report.has_value()) << value;
    EXPECT_NE(executors[0].problem.find("sluice_window_size"), std::string::npos)
        << executors[0].problem;
  }
  const auto down =
      std::get<std::vector<ExecutorObservation>>(read_prometheus(prometheus_answer("20", "0")));
  EXPECT_EQ(down[0].problem, "Prometheus cannot scrape it");
}

TEST(PrometheusTest, AnEmptyAnswerIsNoFleetOfNone) {
  for (const char* text :
       {R"({"status": "success", "data": {"resultType": "vector", "result": []}})",
        R"({"status": "error", "error": "query timed out"})", "{}", "", "<html>",
        R"({"status": "success", "data": {"result": [{"metric": {}, "value": [1, "1"]}]}})"}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(read_prometheus(text))) << text;
  }
  PrometheusOptions gone;
  gone.server = {Endpoint::Kind::plain, "127.0.0.1", "1", ""};
  EXPECT_NE(observe_fleet(gone, std::nullopt, {}).blind.find("Prometheus at 127.0.0.1:1"),
            std::string::npos);
}

TEST(PrometheusTest, AnAnswerOtherThan200IsNamedByItsStatusWhateverItsBodySays) {
  const auto blind = [](const std::string& status, const std::string& body) {
    const testing::RawServer server([&](const testing::RawSocket& socket) {
      socket.say("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) +
                 "\r\nConnection: close\r\n\r\n" + body);
    });
    PrometheusOptions options;
    options.server = {Endpoint::Kind::plain, "127.0.0.1", server.port(), ""};
    std::string text = observe_fleet(options, std::nullopt, {}).blind;
    const std::string place = "Prometheus at 127.0.0.1:" + server.port();
    return text.starts_with(place) ? text.substr(place.size()) : text;
  };
  EXPECT_EQ(blind("200 OK", prometheus_answer("20")), "");
  EXPECT_EQ(blind("500 Internal Server Error", prometheus_answer("20")), " answers 500");
  EXPECT_EQ(blind("401 Unauthorized", "<html>"), " answers 401");
  EXPECT_EQ(blind("503 Service Unavailable", R"({"status": "error", "error": "query timed out"})"),
            " answers 503: query timed out");
}

TEST(AveragesTest, CountWhatHappenedWhileItWasObserved) {
  FleetAverages averages(std::chrono::minutes(10));
  FleetObservation fleet;
  fleet.executors.resize(1);
  fleet.executors[0].id = "a";
  ExecutorReport& report = fleet.executors[0].report.emplace();
  const TimePoint start{std::chrono::hours(1)};
  const auto count = [&](std::uint64_t ended, double seconds, int minute) {
    report.ended = report.admitted = ended;
    report.duration_seconds = seconds;
    report.wait_seconds = seconds / 10;
    averages.observe(fleet, start + std::chrono::minutes(minute));
  };
  count(100, 5000, 0);
  EXPECT_FALSE(averages.means().duration.has_value()) << "of no known time";
  count(104, 5080, 1);
  EXPECT_DOUBLE_EQ(*averages.means().duration, 20);
  EXPECT_DOUBLE_EQ(*averages.means().wait, 2);
  count(2, 100, 2);  // After its restart.
  EXPECT_DOUBLE_EQ(*averages.means().duration, 30);
  count(2, 100, 12);
  EXPECT_DOUBLE_EQ(*averages.means().duration, 50) << "the first ones are too long ago";
}

}  // namespace
}  // namespace sluice
