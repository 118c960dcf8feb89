#include <CLI/CLI.hpp>

#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/jobserver/daemon.h"
#include "cli/jobserver/embedded.h"
#include "cli/permit/outer_permit.h"
#include "client/client.h"

namespace sluice::cli {
namespace {

/// The socket of the daemon whose permit this process runs on; that daemon can grant more than the
/// permit holds, which a governor of our own cannot. Empty if there is none or it is gone.
std::string socket_of_outer() {
  const auto outer = outer_permit();
  if (!outer || outer->socket.empty()) return "";
  const auto reached = Client::connect(outer->socket);
  return std::holds_alternative<Client>(reached) ? outer->socket : "";
}

int execute_jobserver(const JobserverArguments& arguments) {
  const ToolReporter reporter("sluice jobserver", arguments);
  const bool of_daemon = arguments.uses_daemon || !arguments.socket.empty();
  if (of_daemon) return run_jobserver_of_daemon(arguments, reporter);
  const std::string outer = socket_of_outer();
  if (outer.empty()) return run_embedded_jobserver(arguments, reporter);
  if (!arguments.config.empty() || !arguments.state_dir.empty()) {
    reporter.say("warning",
                 "ignoring --config and --state-dir: tokens come from the daemon that granted the "
                 "surrounding permit");
  }
  JobserverArguments asking = arguments;
  asking.socket = outer;
  return run_jobserver_of_daemon(asking, reporter);
}

}  // namespace

void add_jobserver(CLI::App& app, int& exit_status) {
  const auto [command, arguments] =
      add_command(app, exit_status, "jobserver",
                  "Run make, cargo, ninja or a gcc link with as many jobs as the host can handle",
                  execute_jobserver);
  auto* config = add_value(command, "--config", arguments.config, "FILE",
                           "The governor's options (sluice.yaml)");
  add_value(command, "--state-dir", arguments.state_dir, "FOLDER",
            "Folder for what jobs cost; default: state_dir of the configuration, else "
            "$XDG_STATE_HOME/sluice");
  add_value(command, "--socket", arguments.socket, "PATH",
            "Use the window of the daemon at this socket, not one of its own")
      ->excludes(config);
  command
      .add_flag("--daemon", arguments.uses_daemon,
                "Like --socket, with SLUICE_SOCKET or the usual paths")
      ->excludes(config);
  add_value(command, "--key", arguments.key, "KEY",
            "The kind of command; default: derived from it. Costs are learned per key");
  add_value(command, "--max", arguments.most_jobs, "N", "At most this many jobs at once")
      ->check(CLI::Range(1, 4097));
  command
      .add_option("--style", arguments.style,
                  "How tokens are passed: fifo (make from 4.4, ninja from 1.13, cargo), pipe "
                  "(older make, gcc before 13), both; auto checks their versions")
      ->check(CLI::IsMember({"auto", "fifo", "pipe", "both"}))
      ->capture_default_str();
  command.add_flag("-v,--verbose", arguments.verbose, "Report progress on standard error");
  add_choice(
      command, "-q,--quiet", arguments.telling, WaitTelling::silent,
      "Do not say why the command waits (otherwise on standard error after 2 s, when the reason "
      "changes and every minute)");
  add_choice(command, "--json", arguments.output, ToolCommand::Output::json,
             "Report everything on standard error, one JSON object per line");
  command.add_option("command", arguments.command, "The command and its arguments, after --")
      ->required();
  command.footer(
      "The command gets a jobserver in MAKEFLAGS whose tokens are the window: more while the host "
      "has room, fewer when it does not. Leave out -j: with it, the command ignores the tokens. "
      "In the first run each job counts as one core until it has shown what it needs; the next "
      "begins with what was learned. That is kept in --state-dir, else in state_dir of the "
      "configuration, else in $XDG_STATE_HOME/sluice (~/.local/state/sluice). See "
      "docs/jobserver.md.\n\n"
      "Exit status: the command's; if a signal kills it, the same signal ends sluice. "
      "127 not found, 126 not executable, 2 unusable settings.\n\n"
      "Examples:\n"
      "  sluice jobserver -- make all\n"
      "  sluice jobserver --state-dir ~/.cache/sluice --max 16 -- make -k check\n"
      "  sluice jobserver --style pipe -- ./build.sh\n"
      "  sluice jobserver --daemon -v -- cargo build --release\n");
}

}  // namespace sluice::cli
