#include <CLI/CLI.hpp>
#include <memory>

#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "client/attach_client.h"

namespace sluice::cli {

void add_attach(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("attach", "Give this container's cgroup to the sidecar");
  auto options = std::make_shared<AttachOptions>();
  add_socket(*command, options->socket);
  CLI::Option* once = add_choice(*command, "--once", options->stay, AttachOptions::Stay::once,
                                 "Attach once and exit; waits up to 10 s for a daemon");
  add_choice(*command, "--json", options->print, AttachOptions::Print::json,
             "With --once: print the daemon's answer as one JSON object")
      ->needs(once);
  command
      ->add_option(
          "command", options->command,
          "After --: exec this command; a small process stays behind and keeps it attached")
      ->excludes(once);
  command->callback([options, &exit_status] {
    if (!options->command.empty()) options->stay = AttachOptions::Stay::before;
    exit_status = attach(*options);
  });
  command->footer(
      "Without --once or a command, it keeps running and attaches again when the daemon restarts. "
      "`sluice-attach` does the same as a small static program, for any image.\n\n"
      "Examples:\n"
      "  sluice attach -- zuul-executor -f   as an executor's entrypoint\n"
      "  sluice attach --once                from a hook, when the daemon restarts\n");
}

}  // namespace sluice::cli
