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

/// One instant on both clocks: monotonic times are shown to people as wall times by it.
struct Instant {
  TimePoint now;
  std::chrono::system_clock::time_point wall;
};

Instant this_instant();

/// "2026-03-01T12:00:00.123Z"
std::string rfc3339(std::chrono::system_clock::time_point time);

/// What the daemon says of itself in its status.
struct DaemonFacts {
  int pid = 0;
  TimePoint started;
  std::string config_file;  ///< Empty: none.
  std::string socket;
  std::string listen;                   ///< Empty: no TCP port.
  std::vector<std::string> host_names;  ///< As which TCP clients may call it, besides addresses.
  bool reload_ok = true;                ///< Of the last load of the configuration.
  std::uint64_t reload_failures = 0;
  StateFacts state;
  std::vector<WorkSourceFacts> work_sources;
  JobserverFacts jobserver;
  double last_reload_unix = 0;  ///< Of the last load that worked.
};

// All JSON of the API is written here, in the words of docs/api.md.

/// What the JSON of any job needs to know.
struct JobContext {
  const Leases& leases;
  JobNames names;
  std::function<bool(std::string_view manager)> is_jqm_compatible;
  Instant instant;
};

/// What is known of one job besides its record.
struct JobDetail {
  const JobView* view = nullptr;             ///< The governor's; null: it is over.
  const Explanation* explanation = nullptr;  ///< Null: not asked for.
  bool deduplicated = false;                 ///< It answers another job's submit.
  const Suspension* suspension = nullptr;    ///< Null: the brake lets it run.
  std::string permit = {};  ///< See `Jobs::permit_of`: for those who tend it alone; empty: untold.
  std::optional<Bytes> permit_memory = {};  ///< See `Jobs::memory_kept_for`; told with `permit`.
};

void write_job(JsonWriter& json, const JobRecord& job, const JobDetail& detail,
               const JobContext& context);

void write_explanation(JsonWriter& json, const Explanation& explanation, const JobNames& names,
                       TimePoint now);

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant, const JobNames& names = {});

/// "2026-03-01T12:00:00.123Z" for an instant of the monotonic clock.
std::string wall_time(const Instant& instant, TimePoint then);

/// Seconds in whole milliseconds: an age is not known better, and shorter to read.
double age_seconds(TimePoint now, TimePoint then);

}  // namespace sluice
