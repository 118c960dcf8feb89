#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/units.h"

namespace sluice {

/// The number of client requests of one kind that got the same status code.
struct ClientRequests {
  std::string op;           ///< From a fixed list of route names; never contains an id.
  int code = 0;             ///< HTTP status.
  std::uint64_t count = 0;  ///< Since start; lists possible combinations with 0.
};

/// Exceptions that the daemon caught and survived, by place; lists every place.
using InternalErrors = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// Totals over all clients of the jobserver.
struct JobserverFacts {
  std::uint64_t clients = 0;
  std::uint64_t idle = 0, in_use = 0;  ///< Tokens.
  std::uint64_t debt = 0;              ///< Tokens in use that are withdrawn as jobs end.
  std::uint64_t granted = 0;           ///< Tokens, since start.
  std::uint64_t lost = 0;              ///< Tokens lost with killed clients, since start.
  std::uint64_t suspended = 0;         ///< Times the brake suspended a job, since start.
};

/// Where the daemon stores what it learns.
struct HistoryFacts {
  std::string path;
  std::optional<std::string> failing;  ///< Why it cannot at the moment; nullopt if it can.
};

/// Where the daemon keeps the jobs of other processes, and what it restored at start.
struct StateFacts {
  std::string path;                    ///< Empty if kept in memory only.
  std::optional<std::string> failing;  ///< Why writing fails at the moment; nullopt if it does not.
  std::uint64_t adopted = 0;           ///< Jobs that were running and still are.
  std::uint64_t released = 0;          ///< Jobs that no longer existed.
  std::uint64_t restored = 0;          ///< Jobs that were pending and still are.
  std::optional<HistoryFacts> history = {};  ///< nullopt if nothing that is learned is stored.
};

/// The record of decisions.
struct RecordFacts {
  std::string path;                    ///< Its folder.
  std::uint64_t bytes = 0;             ///< On disk.
  std::uint64_t lost = 0;              ///< Entries that could not be recorded, since start.
  std::optional<std::string> failing;  ///< Why nothing is recorded at the moment.
};

/// What another configuration would do next, with what really runs and waits.
struct ShadowFacts {
  std::string config_file, law;
  Points size, usage;              ///< Its window, and what runs at its costs.
  std::vector<std::string> red;    ///< Its red sensors.
  std::vector<JobId> would_start;  ///< Waiting jobs that it would start now.
  std::uint64_t would_refuse = 0;  ///< Waiting jobs that it would not have accepted.
  std::string refusal;             ///< Of the first of these, in words.
  std::uint64_t began = 0;         ///< Jobs that have begun, since it was loaded.
  std::uint64_t held = 0;          ///< Of these, those that it would have let wait.
  JobId last_held;
  std::vector<std::string> differences;  ///< What cannot be compared, in sentences.
};

/// One server that jobs are fetched from.
struct WorkSourceFacts {
  std::string kind;                  ///< "gearman"
  std::string server;                ///< "127.0.0.1:4730"
  bool connected = false;            ///< Whether it gets new jobs from there.
  std::string problem;               ///< Why it is not connected; empty if it is, or has not tried.
  std::vector<std::string> offered;  ///< Functions offered at the moment.
  std::uint64_t jobs = 0;            ///< Jobs taken from this server and not finished.
  std::uint64_t taken = 0;           ///< Since start.
};

/// The memory that was kept for finished jobs, by what told how much.
struct KeptMemoryFacts {
  std::string_view rung;    ///< See `Rung`; lists every rung.
  std::uint64_t jobs = 0;   ///< Whose peak was measured, since start; also the next ones.
  std::uint64_t above = 0;  ///< Of these, those that used more, or were killed for memory.
  double byte_seconds = 0;
  double unused = 0;  ///< The part of these above the peaks.
};

/// What the status and the metrics page both say of a daemon.
struct PartFacts {
  StateFacts state;
  std::optional<RecordFacts> record;  ///< nullopt if nothing is recorded.
  std::optional<ShadowFacts> shadow;  ///< nullopt without one.
  std::vector<WorkSourceFacts> work_sources;
  JobserverFacts jobserver;
  bool reload_ok = true;        ///< The last load of the configuration, the first included.
  double last_reload_unix = 0;  ///< Unix time of the last load that worked.
  std::uint64_t reload_failures = 0;
};

/// The process's data about itself, for the metrics page. All values belong to one instant; all
/// Unix times are in seconds and may have a fraction.
struct ServiceFacts : PartFacts {
  std::string version;
  std::string revision;  ///< Source revision; empty if unknown.

  double now_unix = 0;     ///< Unix time of the snapshot's `Status::now`.
  double start_unix = 0;   ///< When the process started.
  double cpu_seconds = 0;  ///< User and system time of the process.
  Bytes resident;
  std::uint64_t open_fds = 0;
  std::optional<std::uint64_t> max_fds;  ///< nullopt if unlimited.

  std::uint64_t client_connections = 0;  ///< Open now.
  std::vector<ClientRequests> client_requests;

  std::uint64_t suspensions = 0;  ///< Times the brake had a job suspended, since start.
  std::vector<KeptMemoryFacts> kept_memory;

  InternalErrors internal_errors;

  std::optional<std::uint64_t> statsd_failures;  ///< Lost datagrams; nullopt without statsd.
};

}  // namespace sluice
