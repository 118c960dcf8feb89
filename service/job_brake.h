#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "governor/reservation.h"
#include "service/emergency_brake.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// Why a job of somebody else's is to stand still, and since when.
struct Suspension {
  BrakeAction action;
  TimePoint since;
};

/// The emergency brake for jobs of other processes, which report what a job uses several times a
/// second and are told in the answer whether it may run. A job is only ever suspended. One whose
/// reports have stopped is taken not to grow. Not thread-safe.
class JobBrake {
 public:
  /// Watches nothing.
  JobBrake() = default;
  /// `meter`: the memory that it watches; `z`: deviations that elder jobs keep above their mean.
  JobBrake(MemoryMeter meter, double z) : meter_(std::move(meter)), z_(z) {}

  /// A report of a job that runs, and what has to be done about any of them. The first one of a job
  /// gives it its age. `expected`: what is known of jobs like it.
  std::vector<BrakeAction> report(JobId job, const JobUsage& usage, const Prediction& expected,
                                  TimePoint now);
  void over(JobId job);

  /// Null: it may run.
  const Suspension* suspension(JobId job) const;

 private:
  struct Known {
    MemoryUse use;
    JobUsage usage;
    double expected_peak = 0;
    TimePoint reported;
    std::optional<Suspension> suspended;
  };

  std::vector<BrakeAction> look(TimePoint now);
  void note_silent(TimePoint now);

  MemoryMeter meter_;
  double z_ = 0;
  EmergencyBrake brake_;
  std::map<std::uint64_t, Known> jobs_;
  TimePoint looked_;
};

}  // namespace sluice
