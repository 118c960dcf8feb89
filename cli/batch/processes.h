#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch/admission_backend.h"
#include "cli/batch/output.h"
#include "cli/batch/settings.h"
#include "cli/batch/table.h"
#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"
#include "governor/memory/reservation.h"
#include "process/child/sampling_schedule.h"
#include "process/job_deadline.h"
#include "process/memory_brake.h"
#include "process/runner.h"

namespace sluice::cli {

/// Whether a job is expected to run for less than 50 ms, by earlier runs of its key: then a cgroup
/// of its own would cost a tenth of its time.
bool is_expected_to_be_short(const Prediction& expected);

/// The processes of a batch's running jobs: starts them, measures them, reports their usage to the
/// history and the admission backend, enforces their timeouts and applies the memory brake. The
/// caller reports their ends to the backend.
class BatchProcesses {
 public:
  using Because = JobDeadline::Because;

  /// A job without processes left.
  struct Ended {
    std::size_t seq = 0;
    RunEnd end;
    Because because = Because::itself;
    JobStreams streams;  ///< Empty if output is passed through.
    std::int64_t cost = 0;
    double waited = 0;   ///< Seconds.
    double started = 0;  ///< Seconds since 1970.

    Outcome outcome() const;
  };
  struct Row {
    std::size_t seq = 0;
    std::int64_t cost = 0;
    TimePoint began;
    JobUsage usage;
    bool suspended = false;
  };

  struct NotStarted {
    std::string why;  ///< One line.
    int error = 0;    ///< errno; 0 if the start was refused.
  };

  /// Raises this process's limit of descriptors. Jobs get the limit from before.
  BatchProcesses(const BatchSettings& settings, Runner& runner, std::shared_ptr<History> history,
                 AdmissionBackend& backend);

  /// Returns why it could not be started; nullopt if it was.
  std::optional<NotStarted> start(const TrackedJob& tracked,
                                  const AdmissionBackend::Admitted& admitted, TimePoint now);
  /// Call it about every 100 ms while anything runs. Returns the brake's actions.
  std::vector<BrakeAction> poll(TimePoint now);
  std::vector<Ended> reap();
  /// Ask every job to end; kill every job.
  void ask_to_end();
  void kill();

  std::size_t size() const { return running_.size(); }
  std::vector<Row> rows() const;
  /// The job whose first process is `leader`.
  std::optional<std::size_t> job_of(pid_t leader) const;
  /// Requests that could not be met, of jobs that run all the same.
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }
  const std::string& isolation_description() const { return runner_.isolation_description(); }
  /// See `MemoryBrake`.
  bool suspends_any() const { return brake_.suspends_any(); }
  const MemoryBrake::Counts& braked() const { return brake_.counts(); }
  Bytes peak_together() const { return peak_together_; }
  /// Files for output that are open, but of no job.
  std::size_t spare_files() const { return files_.spare(); }

 private:
  struct Running {
    std::size_t seq = 0;
    std::uint64_t run = 0;  ///< Its number in the history.
    JobRequest request;
    std::int64_t cost = 0;
    double waited = 0, started = 0;
    SamplingSchedule pace;
    ProfileRecorder recorded;
    TimePoint began, next_measure;
    JobDeadline deadline;
    MemoryNeed expected;
    std::optional<MemoryUse> use;
    JobUsage usage;
    JobStreams streams;
  };

  Command command_of(const BatchJob& job, const AdmissionBackend::Admitted& admitted,
                     const JobStreams& streams) const;
  Running& enter(pid_t leader, const TrackedJob& tracked,
                 const AdmissionBackend::Admitted& admitted, TimePoint now);
  void measure(pid_t leader, Running& running, TimePoint now);

  const BatchSettings& settings_;
  std::uint64_t most_descriptors_;  ///< Of a job.
  std::shared_ptr<History> history_;
  AdmissionBackend& backend_;
  MemoryMeter meter_;
  Runner& runner_;
  MemoryBrake brake_;
  NamelessFiles files_;
  std::map<pid_t, Running> running_;
  std::uint64_t last_run_ = 0;
  Bytes peak_together_;
  std::vector<std::string> warnings_;
};

}  // namespace sluice::cli
