#include <CLI/CLI.hpp>

#include "cli/ask.h"
#include "cli/build/governed_build.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"

namespace sluice::cli {

void add_build(CLI::App& app, int& exit_status) {
  const auto [command, arguments] = add_command(
      app, exit_status, "build",
      "Run a build (make, ninja, cmake, cargo, a script) beside all others on this host",
      run_build);
  add_socket(command, arguments.socket);
  CLI::Option* alone =
      add_choice(command, "--alone", arguments.governed, BuildArguments::Governed::alone,
                 "Govern just this build: by a daemon of its own, which ends with it");
  alone->excludes(command.get_option("--socket"));
  add_value(command, "--config", arguments.config, "FILE",
            "The options of that daemon (sluice.yaml)")
      ->needs(alone);
  add_value(command, "--state-dir", arguments.state_dir, "FOLDER",
            "Where that daemon keeps what it learns; default: $XDG_STATE_HOME/sluice")
      ->needs(alone);
  CLI::Option* key =
      add_value(command, "--key", arguments.key, "KEY",
                "The kind of build, by which --tokens learns its cost; default: derived from the "
                "command");
  CLI::Option* priority =
      command
          .add_option_function<std::string>(
              "--priority",
              [&asked = arguments](const std::string& word) {
                asked.priority = word == "low" ? -10 : word == "high" ? 10 : 0;
              },
              "Order among the builds that wait: low for a build in the background")
          ->check(CLI::IsMember({"low", "normal", "high"}))
          ->type_name("WORD");
  add_value(command, "--max", arguments.most_jobs, "N",
            "At most this many jobs at once, of a tool that takes tokens")
      ->check(CLI::Range(1, 4097));
  command
      .add_option("--style", arguments.style,
                  "How the tool gets its tokens, see `sluice jobserver --help`")
      ->check(CLI::IsMember({"auto", "fifo", "pipe", "both"}))
      ->capture_default_str();
  CLI::Option* tokens = add_choice(
      command, "--tokens", arguments.by, BuildArguments::By::tokens,
      "Govern by the tool's tokens alone, as `sluice jobserver` does; no process is held");
  tokens->excludes(priority);
  key->needs(tokens);  // Each process has a key of its own.
  command.add_flag("-v,--verbose", arguments.verbose, "Report progress on standard error");
  add_choice(
      command, "-q,--quiet", arguments.telling, WaitTelling::silent,
      "Do not say why the build waits (otherwise on standard error after 2 s, when the reason "
      "changes and every minute)");
  add_choice(command, "--json", arguments.output, ToolCommand::Output::json,
             "Report everything on standard error, one JSON object per line");
  command.add_option("command", arguments.command, "The command and its arguments, after --")
      ->required();
  command.footer(
      "All builds of this user, or of this host if a system daemon runs, share one window, one "
      "memory and one history. Needs no setup: without a daemon it starts one for this user, which "
      "ends 10 minutes after its last client. Leave out -j. See docs/build.md.\n\n"
      "Exit status: the command's; if a signal kills it, the same signal ends sluice. "
      "127 not found, 126 not executable, 2 no daemon that this user may use, or misuse, 75 with "
      "--tokens not admitted by the daemon.\n\n"
      "Examples:\n"
      "  sluice build -- make\n"
      "  sluice build -- cmake --build build\n"
      "  sluice build --priority low -- npm test\n"
      "  sluice build --alone --max 16 -v -- cargo build --release\n");
}

}  // namespace sluice::cli
