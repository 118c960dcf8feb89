#pragma once

#include <mutex>
#include <string>

#include "autoscale/fleet_controller.h"
#include "metrics/autoscale_page.h"
#include "service/api/view.h"

namespace sluice::cli {

/// The metrics of /metrics, written by one thread and read by another.
class AutoscaleMetrics {
 public:
  explicit AutoscaleMetrics(const AutoscaleOptions& rules);

  void record(const ReconcileResult& result, const Instant& instant);
  void state_failed();
  std::string page() const;

 private:
  void note_fleet(const ReconcileResult& result);

  mutable std::mutex mutex_;
  AutoscaleFacts facts_;
};

}  // namespace sluice::cli
