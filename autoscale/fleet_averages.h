#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "autoscale/fleet_observation.h"

namespace sluice {

/// Average times of jobs over the recent past, from the executors' counters since their starts. An
/// executor that restarts counts from 0 again; the share of one that is gone stays.
class FleetAverages {
 public:
  explicit FleetAverages(Duration lookback) : lookback_(lookback) {}

  void observe(const FleetObservation& fleet, TimePoint now);

  struct Means {
    std::optional<double> duration, wait;  ///< Seconds; nullopt if none ended, or was admitted.
  };
  Means means() const;

 private:
  struct Sums {
    double wait = 0, duration = 0;
    std::uint64_t admitted = 0, ended = 0;
  };
  struct Step {
    TimePoint at;
    Sums more;
  };

  Duration lookback_;
  std::map<std::string, Sums> before_;
  std::deque<Step> steps_;
};

}  // namespace sluice
