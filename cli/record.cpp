#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/record/moment.h"
#include "cli/record/read.h"
#include "cli/record/why.h"
#include "cli/record_place.h"
#include "cli/settings/config_from.h"
#include "cli/whatif/run.h"

namespace sluice::cli {
namespace {

using Query = std::shared_ptr<RecordQuery>;

/// More than a record has of anything.
constexpr std::uint64_t kMostLines = 1'000'000'000;

void add_place(CLI::App& command, RecordPlace& place) {
  add_value(command, "--state-dir", place.state_dir, "FOLDER",
            "The daemon's folder; default: state_dir of --config, that of the daemon that serves, "
            "$STATE_DIRECTORY, $XDG_STATE_HOME/sluice or ~/.local/state/sluice");
  add_value(command, "--config", place.config, "FILE", kConfigOfPlace);
  add_socket(command, place.socket);
}

/// The query, of the record of the daemon that serves if it names no other.
const RecordQuery& placed(const Query& query) {
  ask_for_record(query->place);
  return *query;
}

void add_names_of(CLI::App& command, const Query& query) {
  add_value(command, "--names-of", query->names_of, "UID|nobody",
            "Name jobs of this user id alone, or nobody's; others go by their number");
}

void add_json(CLI::App& command, const Query& query, const char* description) {
  add_choice(command, "--json", query->print, RecordQuery::Print::json, description);
}

CLI::App* add_part(CLI::App& command, const char* name, const char* description,
                   const Query& query) {
  CLI::App* part = command.add_subcommand(name, description);
  add_place(*part, query->place);
  return part;
}

}  // namespace

void add_record(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand("record", "Read the daemon's record of its decisions");
  auto query = std::make_shared<RecordQuery>();
  command->require_subcommand(1);
  command->footer(
      "The daemon need not run. Only root and the daemon's user can read its record, which is in "
      "the folder `record` of its state_dir. See docs/record.md and sluice why.\n\n"
      "Examples:\n"
      "  sluice record list --state-dir /var/lib/sluice\n"
      "  sluice record tail -f\n"
      "  sluice record export --from 14:00 --to 14:10 > trace.json\n");

  CLI::App* part = add_part(
      *command, "list",
      "List the segments of the record: their times and sizes, and what is missing", query);
  add_json(*part, query, "Print one JSON object");
  part->callback([=, &exit_status] { exit_status = list_record(placed(query)); });
  part->footer("Examples:\n  sluice record list\n  sluice record list --json | jq .segments\n");

  part = add_part(*command, "tail", "Print the last entries of the record as sentences", query);
  require_decimal(
      *add_value(*part, "-n,--lines", query->count, "COUNT", "The number of entries; default: 20"),
      0, kMostLines);
  add_choice(*part, "-f,--follow", query->then, RecordQuery::Then::follow,
             "Continue with new entries until interrupted");
  add_json(*part, query, "Print one JSON object per line");
  part->callback([=, &exit_status] { exit_status = tail_record(placed(query)); });
  part->footer("Examples:\n  sluice record tail -n 100\n  sluice record tail -f\n");

  part = add_part(*command, "export",
                  "Write a trace in JSON, for ui.perfetto.dev or chrome://tracing, or a scenario",
                  query);
  add_value(*part, "--from", query->from, "TIME", std::string("Begin here: ") + kMomentForms);
  add_value(*part, "--to", query->to, "TIME", "End here, in the same forms");
  add_names_of(*part, query);
  auto scenario = std::make_shared<std::string>();
  add_value(*part, "--scenario", *scenario, "FILE",
            "Write the recorded work as a scenario for sluice replay instead, with its jobs "
            "in FILE.jobs.jsonl");
  // Accepted, since every other output has it: a trace is JSON.
  add_json(*part, query, "Has no effect: a trace is always JSON");
  part->callback([=, &exit_status] {
    if (!scenario->empty() && !query->names_of.empty()) {
      refuse("--names-of is not for --scenario, which has the names of all jobs and queues");
    }
    exit_status = scenario->empty()
                      ? export_record(placed(query))
                      : export_scenario(placed(query).place, query->from, query->to, *scenario);
  });
  part->footer(
      "Jobs are slices by queue, first as they wait, then as they run; window, usage, jobs and "
      "pressures are counters. A scenario always contains the recorded configuration; to try "
      "another one on a record, use sluice replay --config or sluice whatif.\n\n"
      "Examples:\n"
      "  sluice record export > trace.json\n"
      "  sluice record export --from 2h --state-dir /var/lib/sluice > trace.json\n"
      "  sluice record export --scenario day.yaml && sluice replay day.yaml --summary\n");
}

void add_why(CLI::App& app, int& exit_status) {
  CLI::App* command = app.add_subcommand(
      "why", "Show from the record why a job waited, or what limited the host at a given time");
  auto query = std::make_shared<RecordQuery>();
  CLI::Option* job = add_value(*command, "job", query->job, "JOB", "The job's id or number");
  CLI::Option* at =
      add_value(*command, "--at", query->at, "TIME",
                std::string("Show what ran, what waited and why at this time: ") + kMomentForms)
          ->excludes(job);
  CLI::Option* lines =
      add_value(
          *command, "-n,--lines", query->most_jobs, "COUNT",
          "With --at: list at most this many running and this many waiting jobs; default: 20, "
          "in JSON all")
          ->needs(at);
  require_decimal(*lines, 0, kMostLines);
  CLI::Option* occurrence =
      add_value(
          *command, "--occurrence", query->occurrence, "NUMBER",
          "With --at: which occurrence of a time that the clock passed more than once because it "
          "was set back; 1 is the first; default: the last")
          ->needs(at);
  require_decimal(*occurrence, 1, 1000);
  add_names_of(*command, query);
  // For the daemon, which answers `GET /v1/record` by this command, and tells these errors apart.
  add_value(*command, "--outside-status", query->outside_status, "N", "")->group("");
  add_value(*command, "--occurrence-status", query->occurrence_status, "N", "")->group("");
  add_place(*command, query->place);
  add_json(*command, query, "Print one JSON object, in points, bytes and seconds");
  command->callback([=, &exit_status] {
    exit_status = why(placed(query), [](Duration wait) { std::this_thread::sleep_for(wait); });
  });
  command->footer(
      "Reads the record of the running daemon, or the one in a folder, whose daemon need not run. "
      "It also knows jobs that have ended. Reasons are recorded once a second. See "
      "docs/record.md.\n\n"
      "Exit status: 0, or 2 for a job or a time that the record does not have, or wrong usage.\n\n"
      "Examples:\n"
      "  sluice why build-4711\n"
      "  sluice why 17 --state-dir /var/lib/sluice\n"
      "  sluice why --at 14:05\n"
      "  sluice why --at 14:05 --names-of nobody\n"
      "  sluice why --at 14:05 --occurrence 1\n"
      "  sluice why 17 --json | jq .waits\n");
}

}  // namespace sluice::cli
