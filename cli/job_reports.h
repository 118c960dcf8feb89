#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "client/client.h"
#include "process/command_process.h"

namespace sluice::cli {

/// Tells the daemon what an admitted job uses and how it ended, and hears whether it may go on. A
/// daemon that is gone, or hangs, must not hold up the caller: then nothing is told, and the job
/// runs. One that was restarted and has kept the job is told again.
class JobReports : public CommandAccount {
 public:
  /// One line for people.
  using Tell = std::function<void(const std::string&)>;

  /// `job`: its number; `process`: what its lease hangs on. `tell` is told when it is held back and
  /// why, and when it goes on. The connection is nobody else's until this is gone.
  JobReports(Client& client, std::string job, std::optional<std::int64_t> process, Tell tell)
      : client_(client), job_(std::move(job)), process_(process), tell_(std::move(tell)) {}

  /// Left out while the last one has not been answered.
  void measured(const JobUsage& usage) override;
  bool holds_back(TimePoint now) override;
  int descriptor() const override { return broken_ ? -1 : client_.descriptor(); }

  /// Waits for the answers, a second for each, and five for a daemon that is gone.
  void ended(const CommandEnd& end);

 private:
  /// Takes what has come within this time.
  void hear(int milliseconds);
  void understand(const ClientReply& answer);
  /// Asks the daemon that came after the one that is gone whether it knows the job; at most once a
  /// second.
  void regain(TimePoint now);

  Client& client_;
  const std::string job_;
  std::optional<std::int64_t> process_;  ///< None: no later daemon knows the job.
  const Tell tell_;
  bool waiting_ = false;  ///< A request has not been answered.
  bool broken_ = false;
  bool asks_for_job_ = false;  ///< What has not been answered is whether it knows the job.
  std::string cause_;          ///< Empty: it may run.
  bool held_ = false;
  TimePoint asked_;
  std::optional<TimePoint> tried_;
};

}  // namespace sluice::cli
