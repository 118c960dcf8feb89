#pragma once

#include <mutex>
#include <string>

#include "autoscale/fleet_keeper.h"
#include "governor/autoscaler/autoscaler.h"
#include "metrics/autoscale_page.h"
#include "service/api/view.h"

namespace sluice::cli {

/// The metrics of /metrics, written by one thread and read by another.
class Counted {
 public:
  explicit Counted(const AutoscaleOptions& rules);

  void note(const FleetRound& round, const Instant& instant);
  void state_failed();
  std::string page() const;

 private:
  void note_fleet(const FleetRound& round);

  mutable std::mutex mutex_;
  AutoscaleFacts facts_;
};

}  // namespace sluice::cli
