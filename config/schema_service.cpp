#include <chrono>

#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sun_path holds 108 bytes with the end
constexpr std::size_t kLongestPath = 4095;       // PATH_MAX without the end

SchemaOption nullable(SchemaOption option) {
  option.null = Null::fallback;
  return option;
}

SchemaSection service_section() {
  return {
      "service",
      "",
      "How `sluice serve` is reached.",
      {nullable(make_option(
           {"service.socket", "null",
            "The Unix socket. `null`: `/run/sluice/sluice.sock` as root, otherwise "
            "`$XDG_RUNTIME_DIR/sluice.sock`, where clients look by themselves. `--socket` and "
            "`SLUICE_SOCKET` go first. Read at the start only.",
            "/run/sluice/sluice.sock"},
           path_type(kLongestSocketPath),
           [](auto& config, const std::string&) -> auto& { return config.service.socket; })),
       nullable(make_option(
           {"service.listen", "\"127.0.0.1:9797\"",
            "Where metrics and health are served over TCP; `off` or `null`: nowhere. Loopback, "
            "because what runs on a host is not everybody's business. Port 0 takes a free one. "
            "Read at the start only.",
            "\"[::1]:9797\""},
           address_type(0),
           [](auto& config, const std::string&) -> auto& { return config.service.listen; })),
       make_option(
           {"service.max_pending", "100000",
            "Jobs that may wait at once; more are refused. Enough for any CI system's backlog, and "
            "an end to what a runaway client can take.",
            "500"},
           as<std::size_t, std::int64_t>(
               whole_type({1, 10'000'000}),
               [](const std::size_t& most) { return static_cast<std::int64_t>(most); }),
           [](auto& config, const std::string&) -> auto& {
             return config.governing.max_pending;
           })}};
}

SchemaSection statsd_section() {
  const auto statsd = [](auto member) {
    return [member](auto& config, const std::string&) -> auto& { return config.statsd.*member; };
  };
  return {
      "metrics.statsd",
      "",
      "Metrics are always at `/metrics` of `service.listen`; statsd gets them as well where it has "
      "an address.",
      {nullable(make_option({"metrics.statsd.address", "off",
                             "The statsd server, by UDP; `off` or `null`: none, because no place "
                             "to send to can be guessed.",
                             "\"127.0.0.1:8125\""},
                            address_type(1), statsd(&StatsdOptions::address))),
       make_option(
           {"metrics.statsd.names", "sluice",
            "Which names are sent: Sluice's own, or `zuul` for those that the dashboards "
            "of Zuul executors plot.",
            "zuul"},
           word_type<StatsdNames>({{"sluice", StatsdNames::sluice}, {"zuul", StatsdNames::zuul}}),
           statsd(&StatsdOptions::names)),
       make_option({"metrics.statsd.prefix", "\"\"",
                    "Put in front of every name, with a dot. Empty, because most servers hold one "
                    "site's names.",
                    "ci.example"},
                   text_type(), statsd(&StatsdOptions::prefix)),
       make_option({"metrics.statsd.every", "10s",
                    "Time between two sends. 10s is the period statsd servers flush in.", "1min"},
                   duration_type({std::chrono::seconds(1), std::chrono::hours(1)}),
                   statsd(&StatsdOptions::every))}};
}

SchemaSection top_section() {
  return {
      "",
      "",
      "At the top level of the file.",
      {nullable(make_option(
          {"state_dir", "null",
           "A folder for what must outlive the process: the jobs that run and wait, and the "
           "history of jobs; its disk is watched. `null`: `$STATE_DIRECTORY` where systemd set it. "
           "Otherwise `sluice serve` keeps them in memory, so that nothing is written without "
           "being asked for, and the commands that people run themselves use "
           "`$XDG_STATE_HOME/sluice`. Read at the start only.",
           "/var/lib/sluice"},
          path_type(kLongestPath),
          [](auto& config, const std::string&) -> auto& { return config.governing.state_dir; }))}};
}

}  // namespace

std::vector<SchemaSection> service_sections() {
  return {service_section(), statsd_section(), top_section()};
}

std::vector<RefusedKey> refused_keys() {
  std::vector<RefusedKey> refused;
  for (const std::string path : {"work_sources", "service.token_file"}) {
    refused.push_back({path, "`" + path + "` is not available in this version"});
  }
  refused.push_back({"sensors.pause",
                     "`pause` cannot be configured: it is the operator's switch, see `sluice "
                     "pause`"});
  return refused;
}

}  // namespace sluice
