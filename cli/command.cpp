#include "cli/command.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iostream>
#include <string>

#include "cli/command_line/add_value.h"
#include "cli/command_line/help_format.h"
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
    "  sluice batch -f commands.txt   run many commands as the host has room\n"
    "  sluice serve &                 govern this host\n"
    "  sluice run -- make -j4         run a command when the host has room\n"
    "  sluice jobserver -- make       run make with as many jobs as fit\n"
    "  sluice status --watch          what runs, what waits, and why\n"
    "  sluice explain JOB             why one job waits, in full\n"
    "  sluice why JOB                 why a job waited, long after it has ended\n"
    "  sluice history                 what jobs have needed and will need\n"
    "  sluice replay SCENARIO.yaml    what would have happened, decision by decision\n"
    "  sluice doctor                  what this host has and lacks, and how to fix it\n"
    "  sluice autoscale -m 20 ...     keep as many executors as their jobs need\n\n"
    "Exit status: the command's for `run`, `build`, `jobserver` and `env`; 2 for wrong usage or "
    "unusable input, with one line that says what and where. COMMAND --help has the others.\n";

enum class Print { text, json };

std::string version_text(Print print) {
  if (print == Print::text) return std::string("sluice ") + kVersion;
  return json::serialize(
      json::object{{"name", "sluice"}, {"version", kVersion}, {"revision", revision()}});
}

void add_version(CLI::App& app, int&) {
  CLI::App* command = app.add_subcommand("version", "Print the version, like --version");
  auto print = std::make_shared<Print>(Print::text);
  add_choice(*command, "--json", *print, Print::json, "Print one JSON object, with the commit");
  command->callback([print] { std::cout << version_text(*print) << "\n"; });
  command->footer("Examples:\n  sluice version\n  sluice --version --json | jq -r .version\n");
}

void add_help(CLI::App& app, int&) {
  app.add_subcommand("help", "Show a command's help, like --help");
}

/// What adds one command, or some, and the words that ask for these.
struct Entry {
  std::array<std::string_view, 3> words;
  void (*add)(CLI::App& app, int& exit_status);

  bool has(std::string_view word) const {
    return !word.empty() && std::ranges::find(words, word) != words.end();
  }
};

/// In the order of --help.
constexpr std::array kCommands{Entry{{"demo"}, add_demo},
                               Entry{{"batch"}, add_batch},
                               Entry{{"build"}, add_build},
                               Entry{{"serve"}, add_serve},
                               Entry{{"run"}, add_run},
                               Entry{{"jobserver"}, add_jobserver},
                               Entry{{"status"}, add_status},
                               Entry{{"explain"}, add_explain},
                               Entry{{"history"}, add_history},
                               Entry{{"why"}, add_why},
                               Entry{{"record"}, add_record},
                               Entry{{"whatif"}, add_whatif},
                               Entry{{"set"}, add_set},
                               Entry{{"cancel"}, add_cancel},
                               Entry{{"nproc"}, add_nproc},
                               Entry{{"env"}, add_env},
                               Entry{{"pause", "resume", "reload"}, add_control},
                               Entry{{"drain"}, add_drain},
                               Entry{{"attach"}, add_attach},
                               Entry{{"replay"}, add_replay},
                               Entry{{"autoscale"}, add_autoscale},
                               Entry{{"config"}, add_config},
                               Entry{{"doctor"}, add_doctor},
                               Entry{{"completion"}, add_completion},
                               Entry{{"help"}, add_help},
                               Entry{{"version"}, add_version}};

/// `sluice --version [--json]`.
void add_version_option(CLI::App& app) {
  auto print = std::make_shared<Print>(Print::text);
  // CLI11 handles options in the order in which they were added, and --version ends the call.
  CLI::Option* json =
      add_choice(app, "--json", *print, Print::json, "With --version: print one JSON object");
  CLI::Option* version = app.add_flag_callback(
      "-V,--version", [print] { throw CLI::CallForVersion(version_text(*print), 0); },
      "Print the version");
  json->needs(version);
}

}  // namespace

std::unique_ptr<CLI::App> make_command(int& exit_status, std::string_view first) {
  auto command = std::make_unique<CLI::App>(
      "Sluice decides how much work this host takes on: a congestion window sized by load, "
      "memory, cgroup, pressure, disk and pids; jobs wait until they fit.",
      "sluice");
  CLI::App& app = *command;
  app.formatter(std::make_shared<HelpFormat>());
  add_version_option(app);
  app.require_subcommand(1);
  app.footer(kFooter);
  const bool is_named =
      std::ranges::any_of(kCommands, [&](const Entry& each) { return each.has(first); });
  for (const Entry& each : kCommands) {
    if (!is_named || each.has(first)) each.add(app, exit_status);
  }
  return command;
}

}  // namespace sluice::cli
