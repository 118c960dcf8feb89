#pragma once

#include <string>
#include <vector>

#include "service/jobs.h"
#include "service/json_writer.h"
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
  double last_reload_unix = 0;  ///< Of the last load that worked.
};

// All JSON of the API is written here, in the words of docs/api.md.

void write_refusal(JsonWriter& json, const Refusal& refusal);

/// One job. `view` is the governor's, for place and refusal; null for a job that does not pend.
void write_job(JsonWriter& json, const JobRecord& job, const JobView* view, const Leases& leases,
               const Instant& instant);

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant);

}  // namespace sluice
