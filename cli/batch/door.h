#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/permit/job_terms.h"
#include "cli/status/host_view.h"
#include "sluice/job.h"
#include "sluice/status.h"
#include "sluice/usage.h"

namespace sluice::cli {

/// Whoever says when a job of a batch may run: a governor in this process, or a daemon's. Jobs are
/// named by their number in the batch. Called from the main thread; nothing waits.
class BatchDoor {
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
  struct News {
    std::vector<Admitted> admitted;
    std::vector<Refused> refused;
    std::vector<WindowChange> changes;  ///< Of the window.
    std::string lost;                   ///< Why no job will be admitted any more; empty: they are.
  };

  virtual ~BatchDoor() = default;

  /// What is wrong with a job as it stands; empty: nothing that can be told yet.
  virtual std::string check(const JobRequest& job) const = 0;
  /// The answer comes as news.
  virtual void submit(std::size_t seq, const JobRequest& job) = 0;
  virtual News take() = 0;
  /// Readable when there may be news.
  virtual std::vector<int> descriptors() const = 0;
  /// An admitted job's command is this process, a child of ours.
  virtual void started(std::size_t seq, pid_t leader) = 0;
  virtual void measured(std::size_t seq, const JobUsage& usage) = 0;
  /// `usage`: in all; none: it never began.
  virtual void ended(std::size_t seq, Outcome outcome, const std::optional<JobUsage>& usage) = 0;
  /// Takes back what waits; no news of it will come.
  virtual void withdraw() = 0;

  /// How many jobs are worth having in line at once.
  virtual std::size_t most_waiting() const = 0;
  /// Why the first in line waits, and how large things are; none: not known yet.
  virtual std::optional<Status> status() const = 0;
  /// For the live view: the host, and the jobs that wait; one without a name is that of the batch
  /// with this number.
  virtual std::optional<HostView> view() const = 0;
};

}  // namespace sluice::cli
