#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "governor/reservation.h"
#include "process/emergency_brake.h"
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
/// reports have stopped is taken not to grow. What a job holds and grows by counts as far as the
/// kernel says so: nothing of what its holder alone reports, and all jobs together grow by no more
/// than the level does. A job whose children run only waits for them: it is not the one that must
/// always run, and suspending it would suspend them. Not thread-safe.
class JobBrake {
 public:
  /// Watches nothing.
  JobBrake() = default;
  /// `meter`: the memory that it watches; `z`: deviations that elder jobs keep above their mean.
  JobBrake(MemoryMeter meter, double z) : meter_(std::move(meter)), z_(z) {}

  /// A report of a job that runs, and what has to be done about any of them. The first one of a job
  /// gives it its age. `expected`: what is known of jobs like it, which counts for jobs of the same
  /// `owner` only; none: the job came over TCP. `parent`: the job whose permit it works on; 0:
  /// none.
  std::vector<BrakeAction> report(JobId job, const JobUsage& usage, const Prediction& expected,
                                  TimePoint now, std::optional<uid_t> owner = std::nullopt,
                                  JobId parent = {});
  void over(JobId job);

  /// Null: it may run.
  const Suspension* suspension(JobId job) const;

 private:
  struct Known {
    MemoryUse use;
    JobUsage usage;
    double expected_peak = 0;
    TimePoint reported;
    JobId parent;
    std::optional<Suspension> suspended;
  };

  /// What a level used last, and what that grows by in bytes a second.
  struct Level {
    double used = 0, growth = 0;
    TimePoint seen;
  };

  std::vector<BrakeAction> look(TimePoint now);
  void see(const std::vector<MemoryLimit>& limits, TimePoint now);
  std::set<std::uint64_t> parents() const;
  void note_silent(TimePoint now);

  MemoryMeter meter_;
  double z_ = 0;
  EmergencyBrake brake_;
  std::map<std::uint64_t, Known> jobs_;
  std::map<std::string, Level, std::less<>> levels_;
  TimePoint looked_;
};

}  // namespace sluice
