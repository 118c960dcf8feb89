#pragma once

#include <sys/types.h>

#include <optional>

#include "process/runner.h"
#include "sluice/units.h"

namespace sluice {

/// When a job of a runner must end: at its timeout, or once it was asked to; it is killed two
/// seconds later. Not thread-safe.
class JobDeadline {
 public:
  /// Why a job was made to end.
  enum class Because { itself, timeout, brake, asked };

  JobDeadline() = default;
  JobDeadline(std::optional<Duration> timeout, TimePoint now);

  /// Sends SIGTERM, unless the job was asked before.
  void ask(Runner& runner, pid_t job, Because because, TimePoint now);
  /// Asks or kills the job if it is time. Call it often.
  void enforce(Runner& runner, pid_t job, TimePoint now);
  /// The job was made to end in another way; the first reason stays.
  void note_reason(Because because);

  Because because() const { return because_; }

 private:
  std::optional<Duration> timeout_;
  std::optional<TimePoint> due_;
  Because because_ = Because::itself;
  bool is_asked_ = false;  ///< Killed at `due_`.
};

}  // namespace sluice
