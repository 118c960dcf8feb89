#include <chrono>

#include "config/option_types_queueing.h"
#include "config/schema_sections.h"
#include "config/stored_option.h"

namespace sluice {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sun_path holds 108 bytes with the terminator
constexpr std::size_t kMostAllowed = 1000;

constexpr auto service_option = options_of(
    "service", [](auto& config, const std::string&) -> auto& { return config.service; });

SchemaSection service_section() {
  return {
      "service",
      "",
      "How clients reach `sluice serve`.",
      {nullable(service_option(
           "socket", "null", "/run/sluice/sluice.sock", path_type(kLongestSocketPath),
           &ServiceOptions::socket,
           "The Unix socket. `null`: `/run/sluice/sluice.sock` as root, otherwise "
           "`$XDG_RUNTIME_DIR/sluice.sock`, where clients look by default. `--socket` and "
           "`SLUICE_SOCKET` take precedence. Read at the start only.")),
       nullable(service_option(
           "group", "null", "ci", name_type(), &ServiceOptions::group,
           "The group that owns the socket, by name or number: its members may use it (mode 0660). "
           "`null`: the daemon's own group, because no other is known. Read at the start only.")),
       service_option("allow_uids", "[]", "[zuul, 1001]", name_list_type({0, kMostAllowed}),
                      &ServiceOptions::allow_uids,
                      "Users that may use the socket, by name or number, besides root and the "
                      "daemon's own user; the file's mode must also allow them. If neither these "
                      "nor `allow_gids` are given: the members of the socket's group."),
       service_option("allow_gids", "[]", "[ci]", name_list_type({0, kMostAllowed}),
                      &ServiceOptions::allow_gids,
                      "Groups whose members may use the socket, in the same way."),
       nullable(service_option(
           "listen", "\"127.0.0.1:9797\"", "\"[::1]:9797\"", address_type(0),
           &ServiceOptions::listen,
           "The TCP address of metrics and health; `off` or `null`: none. Loopback, because the "
           "jobs of a host are private. Port 0 takes a free port. Read at the start only.")),
       nullable(
           service_option("token_file", "null", "/etc/sluice/token", path_type(kLongestPath),
                          &ServiceOptions::token_file,
                          "A file with a secret of 16 to 1024 characters; a client that sends it "
                          "over TCP as `Authorization: Bearer …` has root's permissions. The file "
                          "must belong to root or the daemon's user; others must not be able to "
                          "write it, and only a group may read it. `null`: over TCP everything is "
                          "read-only, because clients there are unknown. Read again on reload.")),
       service_option(
           "drain_on_stop", "1h", "3h",
           duration_type({std::chrono::seconds(0), std::chrono::hours(24 * 7)}),
           &ServiceOptions::drain_on_stop,
           "On SIGTERM, how long jobs of the daemon's work sources may continue to run; until they "
           "have ended, it takes no new work. `0s`: it ends them at once and returns them to their "
           "source. An hour: most CI jobs end by then, and a host must be able to shut down."),
       make_option(
           {"service.max_pending", "100000",
            "Jobs that may wait at once; more are refused. Enough for any CI system's backlog, "
            "and a limit on runaway clients.",
            "500"},
           whole_as<std::size_t>({1, 10'000'000}), [](auto& config, const std::string&) -> auto& {
             return config.governing.max_pending;
           })}};
}

SchemaSection record_section() {
  const auto record_option = options_of(
      "service.record",
      [](auto& config, const std::string&) -> auto& { return config.service.record; });
  return {
      "service.record",
      "",
      "The record of every decision, in the folder `record` of `state_dir`: `sluice record` and "
      "`sluice why` read it. Without a `state_dir` there is none. Read at the start only.",
      {record_option("enabled", "true", "false", switch_type(), &RecordOptions::enabled,
                     "Whether decisions are recorded. They are, because the question why a job "
                     "waited comes after it has gone."),
       record_option("size", "256MiB", "1GiB", size_type({Bytes{1 << 20}, Bytes{1ULL << 40}}),
                     &RecordOptions::size,
                     "The most that the record takes on disk; the oldest part is deleted. At "
                     "20,000 jobs a day, a day takes some 40 MiB, three quarters of them for an "
                     "exact replay."),
       record_option("age", "7d", "1d",
                     duration_type({std::chrono::hours(1), std::chrono::hours(24 * 366)}),
                     &RecordOptions::age,
                     "How long an entry stays, at least while there is room. A week: a problem of "
                     "Friday is examined on Monday, and names of users do not stay for ever."),
       record_option("names", "plain", "hashed",
                     word_type<RecordOptions::Names>({{"plain", RecordOptions::Names::plain},
                                                      {"hashed", RecordOptions::Names::hashed}}),
                     &RecordOptions::names,
                     "Names that users, sensors or the configuration chose: as they are, or "
                     "`hashed` with a secret of this host (`record.secret` in `state_dir`). Only "
                     "root and the daemon's user can read the record, so they are plain.")}};
}

SchemaSection statsd_section() {
  const auto statsd_option = options_of(
      "metrics.statsd", [](auto& config, const std::string&) -> auto& { return config.statsd; });
  return {
      "metrics.statsd",
      "",
      "Metrics are always at `/metrics` of `service.listen`; if statsd has an address, Sluice "
      "sends them there as well.",
      {nullable(statsd_option("address", "off", "\"127.0.0.1:8125\"", address_type(1),
                              &StatsdOptions::address,
                              "The statsd server, by UDP; `off` or `null`: none, because Sluice "
                              "cannot guess a server.")),
       statsd_option(
           "names", "sluice", "zuul",
           word_type<StatsdNames>({{"sluice", StatsdNames::sluice}, {"zuul", StatsdNames::zuul}}),
           &StatsdOptions::names,
           "The names to send: Sluice's own, or `zuul` for those that the dashboards of Zuul "
           "executors plot."),
       statsd_option("prefix", "\"\"", "ci.example", text_type(), &StatsdOptions::prefix,
                     "Put in front of every name, with a dot. Empty, because most servers have the "
                     "names of only one site."),
       statsd_option("every", "10s", "1min",
                     duration_type({std::chrono::seconds(1), std::chrono::hours(1)}),
                     &StatsdOptions::every,
                     "Time between two sends. 10s is the period in which statsd servers flush.")}};
}

SchemaSection top_section() {
  return {"",
          "",
          "At the top level of the file.",
          {nullable(make_option(
              {"state_dir", "null",
               "A folder for state that must outlive the process: running and pending jobs, and "
               "the history of jobs; the disk sensor watches it. `null`: `$STATE_DIRECTORY` if "
               "systemd has set it. Otherwise `sluice serve` keeps them in memory, so that it "
               "writes nothing unasked, and commands that people run use "
               "`$XDG_STATE_HOME/sluice`. Read at the start only.",
               "/var/lib/sluice"},
              path_type(kLongestPath), [](auto& config, const std::string&) -> auto& {
                return config.governing.state_dir;
              }))}};
}

}  // namespace

std::vector<SchemaSection> service_sections() {
  return {service_section(), record_section(), statsd_section(), top_section()};
}

std::vector<RefusedKey> refused_keys() {
  std::vector<RefusedKey> refused;
  refused.push_back({"sensors.pause",
                     "`pause` cannot be configured: it is the operator's switch, see `sluice "
                     "pause`"});
  return refused;
}

}  // namespace sluice
