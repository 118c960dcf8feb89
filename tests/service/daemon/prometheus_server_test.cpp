// A real Prometheus scrapes the daemon; the test queries what it stored.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/json/parse.hpp>

#include "autoscale/fleet_source.h"
#include "base/target.h"
#include "command_runner.h"
#include "fixture.h"
#include "service/http/tcp_listen.h"

namespace sluice::testing {
namespace {
namespace json = boost::json;

std::string find_prometheus() {
  const char* told = getenv("SLUICE_PROMETHEUS");
  std::vector<std::string> places;
  if (told) places.push_back(told);
  places.push_back(std::string(SLUICE_BINARY) + "/../tools/prometheus/usr/bin/prometheus");
  places.push_back("/usr/bin/prometheus");
  places.push_back("/usr/local/bin/prometheus");
  for (const std::string& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place;
  }
  return "";
}

/// One GET over TCP; empty if there is no reply.
std::string get(int port, const std::string& target) {
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + target + " HTTP/1.0\r\nHost: localhost\r\n\r\n";
    send(client, request.data(), request.size(), MSG_NOSIGNAL);
    char chunk[4096];
    ssize_t got = 0;
    while ((got = recv(client, chunk, sizeof chunk, 0)) > 0) {
      answer.append(chunk, static_cast<std::size_t>(got));
    }
  }
  close(client);
  return answer;
}

/// The value of a metric in Prometheus; empty if it has none.
std::string stored(int port, const std::string& metric) {
  const std::string answer = get(port, "/api/v1/query?query=" + metric);
  const std::size_t body = answer.find("\r\n\r\n");
  if (body == std::string::npos) return "";
  json::error_code error;
  const json::value value = json::parse(answer.substr(body + 4), error);
  if (error || !value.is_object() || value.at("status") != "success") return "";
  const json::array& results = value.at("data").at("result").as_array();
  return results.empty() ? "" : std::string(results[0].at("value").at(1).as_string());
}

int free_port() {
  const auto listening = http::listen_tcp("127.0.0.1:0");
  const std::string address = http::bound_address(std::get<int>(listening));
  close(std::get<int>(listening));
  return std::stoi(address.substr(address.rfind(':') + 1));
}

TEST(Prometheus, ScrapesWindowSizeAndUsage) {
  const std::string program = find_prometheus();
  if (program.empty()) GTEST_SKIP() << "no prometheus: not in SLUICE_PROMETHEUS, tools, or /usr";
  RunningDaemon daemon;
  daemon.ask("POST", "/v1/jobs", R"({"cost":15})");
  TemporaryFolder folder;
  write_file(folder.path("prometheus.yml"),
             "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
             "scrape_configs:\n"
             "  - {job_name: sluice, static_configs: [{targets: ['" +
                 daemon.listen() + "']}]}\n");
  const int port = free_port();
  CommandRunner prometheus({program, "--config.file=" + folder.path("prometheus.yml"),
                            "--storage.tsdb.path=" + folder.path("data"),
                            "--web.listen-address=127.0.0.1:" + std::to_string(port)},
                           folder.path(""));
  EXPECT_TRUE(eventually([&] { return stored(port, "sluice_window_size") == "20"; }))
      << prometheus.err();
  EXPECT_TRUE(eventually([&] { return stored(port, "sluice_window_usage") == "15"; }));
}

TEST(Prometheus, ShowsAnAutoscalerItsFleet) {
  const std::string program = find_prometheus();
  if (program.empty()) GTEST_SKIP() << "no prometheus: not in SLUICE_PROMETHEUS, tools, or /usr";
  RunningDaemon daemon(kSmallWindow);
  for (int i = 0; i < 2; ++i) {
    daemon.ask("POST", "/v1/jobs", R"({"cost":15, "heartbeat": "60s"})");
  }
  TemporaryFolder folder;
  write_file(folder.path("prometheus.yml"),
             "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
             "scrape_configs:\n"
             "  - {job_name: sluice, static_configs: [{targets: ['" +
                 daemon.listen() + "']}]}\n");
  PrometheusOptions options;
  options.server = {Endpoint::Kind::plain, "127.0.0.1", std::to_string(free_port()), ""};
  const auto observe = [&] { return observe_fleet(options, std::nullopt, {}); };
  EXPECT_NE(observe().blind, "");
  CommandRunner prometheus({program, "--config.file=" + folder.path("prometheus.yml"),
                            "--storage.tsdb.path=" + folder.path("data"),
                            "--web.listen-address=127.0.0.1:" + options.server.port},
                           folder.path(""));
  FleetObservation seen;
  ASSERT_TRUE(eventually([&] {
    seen = observe();
    return seen.executors.size() == 1 && seen.executors[0].report.has_value();
  })) << seen.blind
      << (seen.executors.empty() ? "" : seen.executors[0].problem) << prometheus.err();
  EXPECT_EQ(to_string(seen.executors[0].place), daemon.listen());
  const ExecutorReport& report = *seen.executors[0].report;
  EXPECT_EQ(report.window, Points{20});
  EXPECT_EQ(report.usage, Points{15});
  EXPECT_EQ(report.running, 1);
  ASSERT_EQ(report.queued.size(), 1U);
  EXPECT_EQ(report.queued[0].cost, Points{15});
  EXPECT_GT(report.up, Duration{0});
  daemon.stop();
  EXPECT_TRUE(eventually([&] {
    const FleetObservation after = observe();
    return after.executors.size() == 1 &&
           after.executors[0].problem == "Prometheus cannot scrape it";
  }));
  options.selector = "job=\"nobody\"";
  EXPECT_NE(observe().blind.find("it knows no executor"), std::string::npos) << observe().blind;
}

}  // namespace
}  // namespace sluice::testing
