#include <CLI/CLI.hpp>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/autoscale.h"
#include "cli/command_line/call.h"
#include "cli/command_line/words.h"
#include "cli/commands.h"
#include "process/signals.h"
#include "sluice/version.h"

int main(int argc, char** argv) {
  using namespace sluice::cli;
  prepare_standard_streams();
  sluice::keep_ended_children();
  CLI::App app(
      "Sluice decides how much work this host takes on: a congestion window sized by load,\n"
      "memory, cgroup, pressure, disk and pids; jobs wait until they fit.",
      "sluice");
  const std::string version = std::string("sluice ") + sluice::kVersion;
  app.set_version_flag("-V,--version", version);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  sluice demo                    see it work; needs no setup\n"
      "  sluice build -- make           run a build beside others; needs no setup\n"
      "  sluice batch -f commands.txt   run many commands, as many at once as the host can handle\n"
      "  sluice serve &                 govern this host\n"
      "  sluice run -- make -j4         run a command when the host has room\n"
      "  sluice jobserver -- make       run make with as many jobs as the host can handle\n"
      "  sluice status --watch          what runs, what waits, and why\n"
      "  sluice explain JOB             why one job waits, in full\n"
      "  sluice history                 what jobs have needed and will need\n"
      "  sluice replay SCENARIO.yaml    what would have happened, decision by decision\n"
      "  sluice doctor                  what this host has and lacks, and how to fix it\n"
      "  sluice autoscale -m 20 ...     keep as many executors as their jobs need\n\n"
      "Exit status: the command's for `run` and `jobserver`; otherwise 0, 1 for failed jobs,\n"
      "and 2 for wrong usage or unusable input, with one line that says what and where.\n");
  int exit_status = 0;
  add_demo(app, exit_status);
  add_batch(app, exit_status);
  add_build(app, exit_status);
  add_serve(app, exit_status);
  add_run(app, exit_status);
  add_jobserver(app, exit_status);
  add_status(app, exit_status);
  add_explain(app, exit_status);
  add_history(app, exit_status);
  add_set(app, exit_status);
  add_nproc(app, exit_status);
  add_env(app, exit_status);
  add_control(app, exit_status);
  add_drain(app, exit_status);
  add_attach(app, exit_status);
  add_replay(app, exit_status);
  add_autoscale(app);
  add_config(app, exit_status);
  add_doctor(app, exit_status);
  app.add_subcommand("help", "Show a command's help, like --help");
  app.add_subcommand("version", "Print the version, like --version")->callback([&version] {
    std::cout << version << "\n";
  });
  std::vector<std::string> words = plain_call({argv + 1, argv + argc});
  if (const auto own = autoscale_words(words)) return become_autoscale(*own);
  return carry_out(app, std::move(words), exit_status);
}
