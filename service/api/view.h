#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "metrics/service_facts.h"
#include "service/jobs/jobs.h"
#include "sluice/status.h"
#include "status/wall_time.h"

namespace sluice {

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
  std::optional<RecordFacts> record;  ///< nullopt if there is none.
  std::optional<ShadowFacts> shadow;  ///< Likewise.
  std::vector<WorkSourceFacts> work_sources;
  JobserverFacts jobserver;
  double last_reload_unix = 0;  ///< Time of the last load that worked.
  BuildOptions build;           ///< In force.
};

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant, const JobNames& names = {});

}  // namespace sluice
