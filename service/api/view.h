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
struct DaemonFacts : PartFacts {
  int pid = 0;
  TimePoint started;
  std::string config_file;  ///< Empty if there is none.
  std::string socket;
  std::string listen;  ///< Empty if there is no TCP port.
  /// Names by which TCP clients may address it, besides addresses.
  std::vector<std::string> host_names;
  BuildOptions build;  ///< In force.
};

std::string status_json(const Status& status, const DaemonFacts& facts, const Leases& leases,
                        const Instant& instant, const JobNames& names = {});

}  // namespace sluice
