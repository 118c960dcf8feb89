#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "cli/replay/job_table.h"
#include "cli/replay/record.h"
#include "governor/core.h"

namespace sluice::cli {

/// Turns the core's results into records, with the jobs' own names. Keeps references to all its
/// arguments.
class ReplayReporter {
 public:
  ReplayReporter(const Core& core, const ReplayJobTable& jobs, const ReplaySink& sink,
                 const TimePoint& now)
      : core_(core), jobs_(jobs), sink_(sink), now_(now) {}

  void submitted(const JobRequest& request) const;
  void deduplicated(std::string_view name, JobId as) const;
  void admitted(const Decision& decision) const;
  /// A job that already runs as the replay begins, without an admission. `usage` includes its cost.
  void took_over(const Admitted& job, Points usage) const;
  void refused(const Decision& decision) const;
  /// Refused at submit, for good.
  void turned_away(std::string_view name, const Refusal& refusal) const;
  void finished(JobId id, Outcome outcome) const;
  void cancelled(std::string_view name, const Refusal& refusal) const;
  void window(const std::optional<WindowChange>& change) const;
  void registration(const std::optional<Refusal>& full) const;
  void instant(std::span<const double> pressures, const std::optional<CpuStatus>& cpu) const;

 private:
  /// At the time of the clock.
  void tell(ReplayRecord record) const;
  /// The name of the job ahead; empty if there is none.
  std::string_view ahead_of(const Refusal& refusal) const;
  bool weighs() const;

  const Core& core_;
  const ReplayJobTable& jobs_;
  const ReplaySink& sink_;
  const TimePoint& now_;
};

}  // namespace sluice::cli
