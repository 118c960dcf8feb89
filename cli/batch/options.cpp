#include "cli/batch/options.h"

#include <CLI/CLI.hpp>

#include "base/values.h"
#include "cli/command_line/add_value.h"

namespace sluice::cli {
namespace {

void add_output_options(CLI::App& batch, BatchArguments& arguments) {
  batch.option_defaults()->group("Output");
  BatchSettings& settings = arguments.settings;
  auto* keep = add_choice(batch, "-k,--keep-order", settings.output, BatchOutput::Order::as_given,
                          "Output in input order; default: as jobs end");
  auto* ungroup =
      add_choice(batch, "-u,--ungroup", settings.passing, BatchSettings::Passing::ungrouped,
                 "Pass output through as it comes, mixed");
  auto* tag = add_choice(batch, "--tag", settings.lines, BatchOutput::Lines::tagged,
                         "Prefix each line of output with the argument, id or command");
  auto* quiet =
      batch.add_flag("-q,--quiet", arguments.quiet, "Print only the jobs' output and problems");
  auto* verbose = batch.add_flag("-v,--verbose", arguments.verbose,
                                 "Print a line on standard error for each job that ends");
  auto* json = batch.add_flag("--json", arguments.json,
                              "Print one JSON object per event, with the jobs' output in it");
  ungroup->excludes(keep)->excludes(tag)->excludes(json);
  json->excludes(keep)->excludes(tag)->excludes(quiet)->excludes(verbose);
  quiet->excludes(verbose);
}

void add_log_options(CLI::App& batch, BatchArguments& arguments) {
  batch.option_defaults()->group("Failing and resuming");
  add_value(batch, "--joblog", arguments.joblog, "FILE",
            "A line per finished job: GNU parallel's columns, then Sluice's");
  batch.add_flag("--resume", arguments.resume, "Skip the jobs in the joblog");
  batch.add_flag("--resume-failed", arguments.resume_failed,
                 "Skip the jobs that succeeded in the joblog; rerun the others");
  add_value(batch, "--halt", arguments.halt, "WHEN",
            "never, or soon or now with fail, success or done and a number or percentage, "
            "such as soon,fail=1 or now,success=1 or soon,fail=20%; default: never");
  add_value(batch, "--retries", arguments.settings.retries, "N",
            "Retry a failed job up to N times; also lets the emergency brake end a job and "
            "requeue it; default: 0")
      ->check(CLI::Range(0, 1000));
}

void add_running_options(CLI::App& batch, BatchArguments& arguments) {
  batch.option_defaults()->group("Running");
  add_value(batch, "-j,--jobs", arguments.settings.most_running, "N",
            "At most N at once, even if the window allows more; default: the window alone")
      ->check(CLI::Range(1, 1'000'000));
  batch
      .add_option("--order", arguments.order,
                  "Among jobs of equal priority: longest (predicted) or arrival; default: longest")
      ->check(CLI::IsMember({"longest", "arrival"}));
  add_value(batch, "--timeout", arguments.timeout, "TIME",
            "End jobs that run longer: 30s, 10min; a bare number means seconds");
  batch.add_option("--nice", arguments.settings.nice, "Niceness of the jobs, -20 to 19")
      ->check(CLI::Range(-20, 19));
  add_value(batch, "--memory", arguments.memory, "SIZE",
            "The peak memory of each job that declares none, such as 1.5GiB; default: predicted");
  batch
      .add_option("--cgroups", arguments.cgroups,
                  "auto: each job in its own cgroup where possible; off; default: auto")
      ->check(CLI::IsMember({"auto", "off"}));
  auto* config = add_value(batch, "--config", arguments.config, "FILE",
                           "The governor's options (sluice.yaml)");
  add_value(batch, "--socket", arguments.socket, "PATH",
            "Let the daemon at this socket admit the jobs, not a built-in governor")
      ->excludes(config);
  batch
      .add_flag("--daemon", arguments.uses_daemon,
                "Like --socket, with SLUICE_SOCKET or the usual paths")
      ->excludes(config);
  add_value(batch, "--state-dir", arguments.state_dir, "FOLDER",
            "Folder for what jobs cost; default: $XDG_STATE_HOME/sluice");
}

constexpr const char* kFooter =
    "Each line of input is a command for sh or a JSON object:\n"
    "  {\"command\": \"make -C docs\", \"id\": \"docs\", \"after\": [\"lib\"], \"priority\": 5}\n"
    "with command (text for sh, or a list of program and arguments), id, key, priority, queue, "
    "locks, global_lock, resources, inventory, cost, memory, after, on_failure, reasons, params, "
    "nice, directory. With a command on the command line, each line of input is an argument: "
    "{} stands for it, {.} without its extension, {/} its file name, {//} its folder, {/.} its "
    "file name without the extension, {#} the job's number; with none of these, it comes last.\n\n"
    "Exit status: 0 all jobs succeeded, 1 to 100 that many failed, 101 more, 2 wrong usage or "
    "unusable input, 130 or 143 after a signal. Ctrl-C ends the jobs and leaves nothing behind; "
    "a second one kills them.\n\n"
    "Examples:\n"
    "  sluice batch 'gzip -9 {}' ::: *.log          one job per file\n"
    "  find . -name '*.wav' -print0 | sluice batch -0 -- flac\n"
    "  find . -name '*.wav' | sluice batch -- flac  arguments from a pipe, as xargs\n"
    "  sluice batch -f commands.txt -k              a command per line, output in order\n"
    "  sluice batch -f jobs.jsonl --joblog log --retries 2 --halt soon,fail=10%\n"
    "  sluice batch -f jobs.jsonl --joblog log --resume-failed\n"
    "  sluice batch -f commands.txt --dry-run       what would run, what it needs\n";

}  // namespace

std::optional<Duration> positive_duration(const std::string& text) {
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  const auto parsed = parse_duration(bare ? text + "s" : text);
  const Duration* duration = std::get_if<Duration>(&parsed);
  return duration && *duration > Duration{0} ? std::optional(*duration) : std::nullopt;
}

void add_batch_options(CLI::App& batch, BatchArguments& arguments) {
  add_value(batch, "-f,--file,-a,--arg-file", arguments.file, "FILE",
            "Commands, or arguments for COMMAND, one per line; default or -: standard input");
  batch.add_flag(
      "-0,--null", arguments.null,
      "Input items end with a NUL byte, not a newline, and are taken as is: for `find -print0`");
  batch.add_flag("--dry-run", arguments.dry_run,
                 "Print what would run, with key and prediction; run nothing");
  add_running_options(batch, arguments);
  add_output_options(batch, arguments);
  add_log_options(batch, arguments);
  batch.option_defaults()->group("Options");
  // From the command on, options belong to the command.
  batch.add_option("command", arguments.command,
                   "The command, with {} for each line of input; arguments follow :::");
  batch.positionals_at_end();
  batch.footer(kFooter);
}

}  // namespace sluice::cli
