#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "metrics/service_facts.h"
#include "service/jobs/jobs.h"
#include "sluice/explanation.h"
#include "sluice/status.h"

namespace sluice {

/// One instant on both clocks, used to show monotonic times to people as wall times.
struct Instant {
  TimePoint now;
  std::chrono::system_clock::time_point wall;
};

Instant this_instant();

/// "2026-03-01T12:00:00.123Z"
std::string rfc3339(std::chrono::system_clock::time_point time);

/// What the status says about the daemon itself.
struct DaemonFacts {
  int pid = 0;
  TimePoint started;
  std::string config_file;  ///< Empty if there is none.
  std::string socket;
  std::string listen;  ///< Empty if there is no TCP port.
  /// Names by which TCP clients may address it, besides addresses.
  std::vector<std::string> host_names;
  bool reload_ok = true;  ///< Whether the last load of the configuration worked.
  std::uint64_t reload_failures = 0;
  StateFacts state;
  std::vector<WorkSourceFacts> work_sources;
  JobserverFacts jobserver;
  double last_reload_unix = 0;  ///< Time of the last load that worked.
};

// This header declares all writers of the API's JSON; docs/api.md describes its fields.

/// Context for the JSON of any job.
struct JobContext {
  const Leases& leases;
  JobNames names;
  std::function<bool(std::string_view manager)> is_jqm_compatible;
  Instant instant;
};

/// What is known of one job besides its record.
struct JobDetail {
  const JobView* view = nullptr;             ///< The governor's view; null if the job has ended.
  const Explanation* explanation = nullptr;  ///< Null if not requested.
  bool deduplicated = false;                 ///< Whether this answers another job's submit.
  const Suspension* suspension = nullptr;    ///< Null if the brake lets the job run.
  /// See `Jobs::permit_of`; only for clients that may change the job, otherwise empty.
  std::string permit = {};
  std::optional<Bytes> permit_memory = {};  ///< See `Jobs::memory_kept_for`; shown with `permit`.
};

void write_job(JsonWriter& json, const JobRecord& job, const JobDetail& detail,
               const JobContext& context);

void write_explanation(JsonWriter& json, const Explanation& explanation, const JobNames& names,
                       TimePoint now);

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant, const JobNames& names = {});

/// An instant of the monotonic clock as wall time: "2026-03-01T12:00:00.123Z".
std::string wall_time(const Instant& instant, TimePoint then);

/// Age in seconds, rounded down to milliseconds: no more is known, and it is shorter to read.
double age_seconds(TimePoint now, TimePoint then);

}  // namespace sluice
