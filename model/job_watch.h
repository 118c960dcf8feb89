#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "costmodel/cpu_profile.h"
#include "costmodel/history.h"
#include "governor/core.h"
#include "governor/memory/memory_trend.h"
#include "governor/memory/reservation.h"
#include "model/host.h"
#include "sluice/options.h"

namespace sluice::model {

/// What the daemon does with the jobs that run on a modelled host: it measures them, learns from
/// them, and suspends some if memory runs short. Not thread-safe.
class JobWatch {
 public:
  /// `none`: no memory is reserved for jobs, so there is no brake.
  enum class Memory { none, reserved };

  /// `host` must outlive it; `history` may be null: then nothing is learned.
  JobWatch(Host& host, std::shared_ptr<History> history, Memory memory)
      : host_(host), history_(std::move(history)), memory_(memory) {}

  struct Job {
    JobId id;
    std::uint32_t slot = 0;
    JobRequest request;
  };
  /// `number`: of the job that the host has just started.
  void start(Host::Number number, Job job);
  /// nullptr if it is not watched.
  const Job* find(Host::Number number) const;
  /// Tells the core what the running jobs use.
  void measure(Core& core);
  /// The emergency brake: what `MemoryBrake` does with processes. It suspends and resumes, and ends
  /// none, like that of `sluice run`. Call it ten times a second.
  void brake(const ReservationOptions& reservation);
  /// Tells the core and the history what a job has used in all; nullopt if it is not watched. The
  /// caller finishes it.
  std::optional<Job> end(const Host::Ended& ended, Outcome outcome, Core& core);

  const std::shared_ptr<History>& history() const { return history_; }
  /// Core seconds that the running jobs have used so far.
  double cpu_seconds() const;

 private:
  struct Running {
    Job job;
    std::uint64_t turn = 0;  ///< Order of start.
    Bytes reserved;          ///< The mean expected at its start.
    std::optional<MemoryUse> use = std::nullopt;
    MemoryTrend trend = {};  ///< As the brake last saw it.
    ProfileRecorder recorded = {};
  };

  bool reserves() const { return memory_ == Memory::reserved; }

  Host& host_;
  const std::shared_ptr<History> history_;
  const Memory memory_;
  std::vector<std::optional<Running>> running_;  ///< By the host's number.
  std::uint64_t last_turn_ = 0;
};

}  // namespace sluice::model
