#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "governor/memory/memory_trend.h"
#include "governor/memory/reservation.h"
#include "process/memory_brake.h"
#include "sluice/units.h"
#include "sluice/usage.h"

namespace sluice {

/// Why, and since when, a job of another process is suspended.
struct Suspension {
  BrakeAction action;
  TimePoint since;
};

/// The emergency brake for jobs of other processes. These report their usage several times a
/// second, and the answer says whether the job may run. Jobs are only ever suspended, never ended.
/// A job that has stopped reporting is assumed not to grow. Memory and growth count only as far as
/// the kernel confirms them: figures that only the holder reports do not count, and all jobs
/// together grow by no more than the level does. A job with running children only waits for them:
/// it does not count as the one job that must always run, and is not suspended, since that would
/// suspend its children. Not thread-safe.
class RemoteBrake {
 public:
  /// Monitors nothing.
  RemoteBrake() = default;
  /// `meter`: the memory to monitor; `z`: standard deviations above their mean that are reserved
  /// for older jobs.
  RemoteBrake(MemoryMeter meter, double z) : meter_(std::move(meter)), z_(z) {}

  /// Takes a report of a running job and returns the actions due on any job. A job's age counts
  /// from its first report. `expected`: the prediction for jobs like it, which counts only for jobs
  /// of the same `owner`; nullopt if the job came over TCP. `parent`: the job whose permit it works
  /// on; 0 if there is none.
  std::vector<BrakeAction> report(JobId job, const JobUsage& usage, const Prediction& expected,
                                  TimePoint now, std::optional<uid_t> owner = std::nullopt,
                                  JobId parent = {});
  /// The job is over. Returns the actions due on others: one that was suspended goes on before the
  /// next job takes the memory that this one gives back.
  std::vector<BrakeAction> ended(JobId job, TimePoint now);

  /// nullptr if the job may run.
  const Suspension* suspension(JobId job) const;

 private:
  struct Known {
    MemoryUse use;
    JobUsage usage;
    ExpectedPeak expected;
    TimePoint reported;
    JobId parent;
    std::optional<Suspension> suspended;
  };

  std::vector<BrakeAction> poll(TimePoint now);
  void see(const std::vector<MemoryLimit>& limits, TimePoint now);
  std::set<std::uint64_t> parents() const;
  void note_silent(TimePoint now);

  MemoryMeter meter_;
  double z_ = 0;
  MemoryBrake brake_;
  std::map<std::uint64_t, Known> jobs_;
  std::map<std::string, MemoryTrend, std::less<>> levels_;
  TimePoint polled_;
  TimePoint end_polled_;  ///< As a job ended.
};

}  // namespace sluice
