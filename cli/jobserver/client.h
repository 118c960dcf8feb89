#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "cli/jobserver/tool_command.h"
#include "process/child/signals.h"
#include "process/runner.h"
#include "service/jobserver/client_setting.h"
#include "service/jobserver/jobserver.h"

namespace sluice::cli {

struct JobserverArguments : ToolCommand {
  bool uses_daemon = false;
};

/// How the command ended, or the exit status if it could not be started.
struct ClientEnd {
  std::optional<RunEnd> end;
  int status = 0;

  bool ok() const { return end && end->ok(); }
};

/// Prints the results of the command and its tokens, even without --verbose if tokens are missing.
void report_end(const std::string& program, const ClientEnd& end, const jobserver::End& tokens,
                const ToolReporter& reporter);

/// The command as a client: how it is told of the jobserver, and the name by which it is known.
struct JobserverClient {
  std::string key, program;
  jobserver::ClientStyles styles;
  std::size_t most_tokens = 0;
};

/// Determines what client the command is and, for `--style auto`, the versions of the programs it
/// runs; reports anything that keeps it from being a client.
JobserverClient look_at_client(const JobserverArguments& arguments, const ToolReporter& reporter);

/// Work to do while the command runs.
struct Meanwhile {
  std::map<std::string, std::string> environment;  ///< Added to the command's environment.
  std::function<void(pid_t)> started;
  int descriptor = -1;  ///< When readable, `work` is called; -1 if there is none.
  std::function<void()> work;
};

/// Runs the command in this process's place: with its streams and process group, forwarding
/// signals, stopping when it stops. Everything that it started has ended when this returns. If a
/// signal that ends a process has come before, it does not start, and has ended by that signal.
ClientEnd run_client(const JobserverArguments& arguments, const jobserver::ClientSetting& setting,
                     const SignalDescriptor& signals, const ToolReporter& reporter,
                     const Meanwhile& meanwhile);

/// Ends this process as the command ended.
int end_as(const ClientEnd& end);

}  // namespace sluice::cli
