#pragma once

#include <string>

#include "service/client.h"
#include "service/command_process.h"

namespace sluice::cli {

/// Tells the daemon what an admitted job uses and how it ended. A daemon that is gone, or hangs,
/// must not hold up the caller: then nothing is told.
class JobReports {
 public:
  /// `job`: its number. The connection is nobody else's until this is gone.
  JobReports(Client& client, std::string job) : client_(client), job_(std::move(job)) {}

  /// Left out while the last one has not been answered.
  void running(const JobUsage& usage);

  /// Waits for the answers, a second for each.
  void ended(const CommandEnd& end);

 private:
  /// False if no answer is to come any more, or none came in this time.
  bool take_answer(int milliseconds);

  Client& client_;
  const std::string job_;
  bool waiting_ = false;  ///< A request has not been answered.
  bool broken_ = false;
};

}  // namespace sluice::cli
