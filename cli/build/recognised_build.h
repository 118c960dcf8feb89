#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/build/build_process.h"
#include "cli/build/build_verdict.h"
#include "cli/jobserver/tool_command.h"
#include "client/client.h"
#include "client/waiting_line.h"
#include "service/jobserver/client_setting.h"

namespace sluice::cli {

/// A build whose processes ask for permits, one by one, as they are recognised.
struct RecognisedBuild {
  std::vector<std::string> command;
  jobserver::ClientStyles styles;    ///< How its tool learns of its tokens.
  std::string queue;                 ///< Of its jobs: a branch of its own.
  int priority = 0;                  ///< Of its jobs.
  std::optional<AskedNumber> asked;  ///< By an option or a variable of its tool.
  std::size_t most_jobs = 1;         ///< That the tool may have started; most of them may be held.
  WaitTelling telling = WaitTelling::told;
  bool daemon_answers = true;  ///< Else nothing waits for it before the command starts.
  /// The same, at most as many, while a daemon that did not answer at first does not: nothing is
  /// held.
  std::size_t most_ungoverned = 1;
};

/// Runs it under the daemon; `client` is closed if that takes no further connection. The tool's
/// tokens are bytes without a permit. Returns how the command ended; throws std::runtime_error if
/// it cannot be started.
BuildEnd run_recognised(const RecognisedBuild& build, Client client, const ToolReporter& reporter);

}  // namespace sluice::cli
