#include "cli/command.h"

#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "cli/autoscale.h"
#include "cli/commands.h"
#include "service/daemon/revision.h"
#include "sluice/version.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

constexpr const char* kFooter =
    "Examples:\n"
    "  sluice demo                    see it work; needs no setup\n"
    "  sluice build -- make           run a build beside others; needs no setup\n"
    "  sluice batch -f commands.txt   run many commands, as many at once as the host can handle\n"
    "  sluice serve &                 govern this host\n"
    "  sluice run -- make -j4         run a command when the host has room\n"
    "  sluice jobserver -- make       run make with as many jobs as the host can handle\n"
    "  sluice status --watch          what runs, what waits, and why\n"
    "  sluice explain JOB             why one job waits, in full\n"
    "  sluice why JOB                 why a job waited, long after it has gone\n"
    "  sluice history                 what jobs have needed and will need\n"
    "  sluice replay SCENARIO.yaml    what would have happened, decision by decision\n"
    "  sluice doctor                  what this host has and lacks, and how to fix it\n"
    "  sluice autoscale -m 20 ...     keep as many executors as their jobs need\n\n"
    "Exit status: the command's for `run` and `jobserver`; otherwise 0, 1 for failed jobs,\n"
    "and 2 for wrong usage or unusable input, with one line that says what and where.\n";

enum class Print { text, json };

std::string version_text(Print print) {
  if (print == Print::text) return std::string("sluice ") + kVersion;
  return json::serialize(
      json::object{{"name", "sluice"}, {"version", kVersion}, {"revision", revision()}});
}

void add_version(CLI::App& app) {
  CLI::App* command = app.add_subcommand("version", "Print the version, like --version");
  auto print = std::make_shared<Print>(Print::text);
  command->add_flag_callback(
      "--json", [print] { *print = Print::json; }, "With the commit, as one JSON object");
  command->callback([print] { std::cout << version_text(*print) << "\n"; });
  command->footer("Examples:\n  sluice version\n  sluice --version --json | jq -r .version\n");
}

/// `sluice --version [--json]`.
void add_version_option(CLI::App& app) {
  auto print = std::make_shared<Print>(Print::text);
  // CLI11 handles options in the order in which they were added, and --version ends the call.
  CLI::Option* json = app.add_flag_callback(
      "--json", [print] { *print = Print::json; }, "With --version: as one JSON object");
  CLI::Option* version = app.add_flag_callback(
      "-V,--version", [print] { throw CLI::CallForVersion(version_text(*print), 0); },
      "Print the version");
  json->needs(version);
}

}  // namespace

std::unique_ptr<CLI::App> make_command(int& exit_status) {
  auto command = std::make_unique<CLI::App>(
      "Sluice decides how much work this host takes on: a congestion window sized by load,\n"
      "memory, cgroup, pressure, disk and pids; jobs wait until they fit.",
      "sluice");
  CLI::App& app = *command;
  add_version_option(app);
  app.require_subcommand(1);
  app.footer(kFooter);
  add_demo(app, exit_status);
  add_batch(app, exit_status);
  add_build(app, exit_status);
  add_serve(app, exit_status);
  add_run(app, exit_status);
  add_jobserver(app, exit_status);
  add_status(app, exit_status);
  add_explain(app, exit_status);
  add_history(app, exit_status);
  add_why(app, exit_status);
  add_record(app, exit_status);
  add_whatif(app, exit_status);
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
  add_completion(app, exit_status);
  app.add_subcommand("help", "Show a command's help, like --help");
  add_version(app);
  return command;
}

}  // namespace sluice::cli
