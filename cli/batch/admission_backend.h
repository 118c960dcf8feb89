#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/status/host_view.h"
#include "client/answer.h"
#include "sluice/job.h"
#include "sluice/status.h"
#include "sluice/usage.h"

namespace sluice::cli {

/// Decides when a job of a batch may run: a governor in this process or a daemon's. Identifies jobs
/// by their number in the batch. Call it from the main thread; it never blocks.
class AdmissionBackend {
 public:
  /// A job may run now.
  struct Admitted {
    std::size_t seq = 0;
    std::int64_t cost = 0;  ///< Points.
    JobTerms terms;
  };
  /// A job will never be admitted.
  struct Refused {
    std::size_t seq = 0;
    std::string why;
  };
  /// A job could not be submitted for lack of descriptors, with this errno.
  struct Unasked {
    std::size_t seq = 0;
    int error = 0;
    std::string why;
  };
  struct Events {
    std::vector<Admitted> admitted;
    std::vector<Refused> refused;
    std::vector<Unasked> unasked;
    std::vector<WindowChange> changes;  ///< Of the window.
    std::string lost;  ///< Why no more jobs will be admitted; empty while they are.
  };

  /// Why a job waits.
  struct Wait {
    std::string kind;  ///< Identifies the reason, without its numbers.
    std::string sentence;
  };

  virtual ~AdmissionBackend() = default;

  /// The problem with a job as declared; empty if none is known yet.
  virtual std::string check(const JobRequest& job) const = 0;
  /// The answer arrives through `poll_events`.
  virtual void submit(std::size_t seq, const JobRequest& job) = 0;
  virtual Events poll_events() = 0;
  /// Readable when `poll_events` may have something to return.
  virtual std::vector<int> descriptors() const = 0;
  /// The command of an admitted job is process `leader`, a child of this one.
  virtual void started(std::size_t seq, pid_t leader) = 0;
  virtual void measured(std::size_t seq, const JobUsage& usage) = 0;
  /// `usage`: total; nullopt if the job did not start.
  virtual void ended(std::size_t seq, Outcome outcome, const std::optional<JobUsage>& usage) = 0;
  /// Withdraws all waiting jobs; `poll_events` will not mention them again.
  virtual void withdraw() = 0;

  /// How many waiting jobs are worth submitting at once.
  virtual std::size_t most_waiting() const = 0;
  /// The current figures; nullopt if not known.
  virtual std::optional<Status> status() const = 0;
  /// Why the first waiting job of the batch waits; nullopt if none does, or if not known yet.
  virtual std::optional<Wait> why_waiting() const = 0;
  /// For the live view: the host and the waiting jobs; a job without a name is the batch's job of
  /// that number.
  virtual std::optional<HostView> view() const = 0;
};

/// Why a governor's first job waits, by its status.
std::optional<AdmissionBackend::Wait> wait_in(const Status& status);

}  // namespace sluice::cli
