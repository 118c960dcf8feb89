#include <chrono>

#include "config/schema.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sun_path holds 108 bytes with the end
constexpr std::size_t kLongestPath = 4095;       // PATH_MAX without the end
constexpr std::size_t kMostAllowed = 1000;

SchemaOption nullable(SchemaOption option) {
  option.null = Null::fallback;
  return option;
}

template <typename Member>
auto service(Member member) {
  return [member](auto& config, const std::string&) -> auto& { return config.service.*member; };
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
           path_type(kLongestSocketPath), service(&ServiceOptions::socket))),
       nullable(make_option({"service.group", "null",
                             "The group that the socket is given to, by name or number: its "
                             "members may use it (mode 0660). `null`: the daemon's own group, "
                             "because nobody else is known to be meant. Read at the start only.",
                             "ci"},
                            name_type(), service(&ServiceOptions::group))),
       make_option({"service.allow_uids", "[]",
                    "Users that may use the socket, by name or number, besides root and the "
                    "daemon's own user; the file's mode must let them, too. Neither these nor "
                    "`allow_gids`: the members of the socket's group, which is what its mode "
                    "says to everybody who looks.",
                    "[zuul, 1001]"},
                   name_list_type({0, kMostAllowed}), service(&ServiceOptions::allow_uids)),
       make_option({"service.allow_gids", "[]",
                    "Groups whose members may use the socket, likewise.", "[ci]"},
                   name_list_type({0, kMostAllowed}), service(&ServiceOptions::allow_gids)),
       nullable(make_option(
           {"service.listen", "\"127.0.0.1:9797\"",
            "Where metrics and health are served over TCP; `off` or `null`: nowhere. Loopback, "
            "because what runs on a host is not everybody's business. Port 0 takes a free one. "
            "Read at the start only.",
            "\"[::1]:9797\""},
           address_type(0), service(&ServiceOptions::listen))),
       nullable(make_option(
           {"service.token_file", "null",
            "A file with a secret of 16 to 1024 characters; who sends it over TCP as "
            "`Authorization: Bearer …` may do what root may. Others must be able neither to read "
            "nor to write it. `null`: over TCP everything is read-only, because nobody there is "
            "known. Read again on reload.",
            "/etc/sluice/token"},
           path_type(kLongestPath), service(&ServiceOptions::token_file))),
       make_option({"service.drain_on_stop", "1h",
                    "On SIGTERM, how long jobs of its own work sources may run on; until they are "
                    "over nothing new is taken. `0s`: they are ended at once and go back to where "
                    "they came from. An hour, because most CI jobs are over by then and a host "
                    "must be able to go down.",
                    "3h"},
                   duration_type({std::chrono::seconds(0), std::chrono::hours(24 * 7)}),
                   service(&ServiceOptions::drain_on_stop)),
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
  refused.push_back({"sensors.pause",
                     "`pause` cannot be configured: it is the operator's switch, see `sluice "
                     "pause`"});
  return refused;
}

}  // namespace sluice
