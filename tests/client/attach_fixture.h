#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <boost/json/parse.hpp>
#include <string>
#include <variant>
#include <vector>

#include "client/answer.h"
#include "client/attach_client.h"
#include "command_runner.h"
#include "fixture.h"
#include "real_cgroup.h"

namespace sluice::testing::attach_test {

namespace json = boost::json;

inline constexpr const char* kSidecar =
    "window: {initial: 20, minimum: 10, maximum: 40, interval: 10ms}\n"
    "sensors: {cgroup: {source: attach}, memory: off, load: off, memory_pressure: off,\n"
    "          io_pressure: off, disk: off, pids: off, starting: off}\n";

inline json::object object_of(const std::string& body) {
  json::error_code problem;
  const json::value value = json::parse(body, problem);
  return value.is_object() ? value.get_object() : json::object{};
}

inline std::string message_of(const ClientReply& reply) {
  return read_error(reply).value_or(DaemonError{}).message;
}

inline json::object sensor_of(const RunningDaemon& daemon) {
  const json::object status = object_of(daemon.ask("GET", "/v1/status").body);
  for (const json::value& each : status.at("sensors").as_array()) {
    if (each.at("name") == "cgroup") return each.get_object();
  }
  return {};
}

inline bool is_red(const RunningDaemon& daemon) { return sensor_of(daemon).at("verdict") == "red"; }

inline std::int64_t window_of(const RunningDaemon& daemon) {
  return object_of(daemon.ask("GET", "/v1/status").body)
      .at("window")
      .at("size")
      .to_number<std::int64_t>();
}

/// The sources in the samples of `sluice_sensor_source_info` for the cgroup sensor.
inline std::vector<std::string> sources_in(const RunningDaemon& daemon) {
  const std::string text = daemon.ask("GET", "/metrics").body;
  const std::string start = "sluice_sensor_source_info{sensor=\"cgroup\",source=\"";
  std::vector<std::string> sources;
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
    const std::size_t begin = at + start.size();
    sources.push_back(text.substr(begin, text.find('"', begin) - begin));
  }
  return sources;
}

inline ClientReply attach_own(const RunningDaemon& daemon) {
  const auto group = open_own_group();
  std::vector<int> descriptors;
  for (const GroupFolder& folder : std::get<0>(group)) {
    descriptors.push_back(folder.held->descriptor());
  }
  Client client = daemon.client();
  const auto reply =
      client.call("POST", "/v1/attach", attach_body(std::get<0>(group)), descriptors);
  return std::get<ClientReply>(reply);
}

/// The output and exit status of `sluice-attach`, started by another command if one is given.
struct Ended {
  int status = 0;
  std::string out, err;
};

inline Ended run_attach(const std::string& folder, std::vector<std::string> command) {
  CommandRunner runner(command, folder);
  const int status = runner.wait();
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, runner.out(), runner.err()};
}

/// Like an executor whose container has the group.
inline Ended attach_from(const RealCgroup& group, const RunningDaemon& daemon,
                         const std::string& folder) {
  return run_attach(folder, {"/bin/sh", "-c",
                             "echo $$ > " + group.folder() +
                                 "/cgroup.procs; exec " SLUICE_ATTACH " --once --json --socket " +
                                 daemon.socket()});
}

class Attach : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto own = open_own_group();
    if (own.index() != 0) GTEST_SKIP() << failure_in(own).what;
  }
  TemporaryFolder folder;
};

}  // namespace sluice::testing::attach_test
