#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// Requests of one kind that clients made, answered with one code.
struct ClientRequests {
  std::string op;           ///< The route's name, from a fixed list: never a path with an id in it.
  int code = 0;             ///< HTTP status.
  std::uint64_t count = 0;  ///< Since start; listed from the start with 0 where it may happen.
};

/// Exceptions that the daemon outlived, by the place where they were caught; each place is listed.
using InternalErrors = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// All clients of the jobserver together.
struct JobserverFacts {
  std::uint64_t clients = 0;
  std::uint64_t idle = 0, in_use = 0;  ///< Tokens.
  std::uint64_t debt = 0;              ///< Of these, to be given back as jobs end.
  std::uint64_t granted = 0;           ///< Tokens, since start.
  std::uint64_t lost = 0;              ///< Since start, with clients that were killed.
  std::uint64_t suspended = 0;         ///< Times since start that the brake suspended a job.
};

/// Where the jobs of other processes are kept, and what came back of them at the start.
struct StateFacts {
  std::string path;                    ///< Empty: in memory only.
  std::optional<std::string> failing;  ///< Why nothing is kept at the moment.
  std::uint64_t adopted = 0;           ///< Jobs that ran and still did.
  std::uint64_t released = 0;          ///< Jobs that were gone.
  std::uint64_t restored = 0;          ///< Jobs that pended and wait on.
};

/// One server that jobs are fetched from.
struct WorkSourceFacts {
  std::string kind;                  ///< "gearman"
  std::string server;                ///< "127.0.0.1:4730"
  bool connected = false;            ///< It hears of new jobs there.
  std::string problem;               ///< Why it is not connected; empty: it is, or not tried yet.
  std::vector<std::string> offered;  ///< Functions at the moment.
  std::uint64_t jobs = 0;            ///< Of this server, taken and not over yet.
  std::uint64_t taken = 0;           ///< Since start.
};

/// What the process around the governor knows of itself, for the metrics page. Plain values of
/// one instant; all Unix times are seconds and may have a fraction.
struct ServiceFacts {
  std::string version;
  std::string revision;  ///< Of the source; empty where unknown.

  double now_unix = 0;     ///< Unix time of the snapshot's `Status::now`.
  double start_unix = 0;   ///< When the process started.
  double cpu_seconds = 0;  ///< User and system time of the process.
  Bytes resident;
  std::uint64_t open_fds = 0;
  std::optional<std::uint64_t> max_fds;  ///< None where nothing limits it.

  std::uint64_t client_connections = 0;  ///< Open now.
  std::vector<ClientRequests> client_requests;

  StateFacts state;
  std::vector<WorkSourceFacts> work_sources;
  JobserverFacts jobserver;
  std::uint64_t suspensions = 0;  ///< Times since start that the brake had a job suspended.

  bool last_reload_ok = true;   ///< Of the configuration; the first load counts.
  double last_reload_unix = 0;  ///< Of the last load that worked.
  std::uint64_t reload_failures = 0;

  InternalErrors internal_errors;

  std::optional<std::uint64_t> statsd_failures;  ///< Datagrams lost; none without statsd.
};

}  // namespace sluice
