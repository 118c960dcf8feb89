#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "client/client.h"
#include "process/command_process.h"

namespace sluice::cli {

/// Reports the usage and the end of an admitted job to the daemon, and learns from its answers
/// whether the job may run. A daemon that is gone or hangs must not hold up the caller: the reports
/// are dropped then, and the job runs. A restarted daemon that has kept the job gets reports again.
class JobReports : public CommandAccount {
 public:
  /// One line for people.
  using Tell = std::function<void(const std::string&)>;

  /// `job`: its number; `process`: the process that holds its lease. `tell` is called when the job
  /// is suspended, with the reason, and when it resumes. No one else may use the connection while
  /// this exists.
  JobReports(Client& client, std::string job, std::optional<std::int64_t> process, Tell tell)
      : client_(client), job_(std::move(job)), process_(process), tell_(std::move(tell)) {}

  /// Sends no report while the last one is unanswered.
  void measured(const JobUsage& usage) override;
  bool holds_back(TimePoint now) override;
  int descriptor() const override { return broken_ ? -1 : client_.descriptor(); }

  /// Waits up to a second for each answer, and up to five for a daemon that is gone.
  void ended(const CommandEnd& end);

 private:
  /// Reads answers for at most this long.
  void hear(Duration patience);
  void understand(const ClientReply& answer);
  /// Asks a new daemon whether it knows the job; at most once a second.
  void regain(TimePoint now);

  Client& client_;
  const std::string job_;
  std::optional<std::int64_t> process_;  ///< nullopt if no later daemon knows the job.
  const Tell tell_;
  bool waiting_ = false;  ///< A request is unanswered.
  bool broken_ = false;
  bool asks_for_job_ = false;  ///< The unanswered request asks whether the daemon knows the job.
  std::string cause_;          ///< Empty while the job may run.
  bool held_ = false;
  TimePoint asked_;
  std::optional<TimePoint> tried_;
};

}  // namespace sluice::cli
