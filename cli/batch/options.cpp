#include "cli/batch/options.h"

namespace sluice::cli {
namespace {

void add_output_options(CLI::App& batch, BatchArguments& arguments) {
  auto* keep = batch.add_flag("-k,--keep-order", arguments.keep_order,
                              "Output in the order of the input; otherwise as jobs end");
  auto* ungroup = batch.add_flag("-u,--ungroup", arguments.ungroup,
                                 "Pass output through while jobs run, mixed");
  auto* tag = batch.add_flag("--tag", arguments.tag,
                             "In front of each line of output: the argument, id or command");
  auto* quiet = batch.add_flag("-q,--quiet", arguments.quiet,
                               "Nothing but the jobs' own output, and problems");
  auto* verbose = batch.add_flag("-v,--verbose", arguments.verbose,
                                 "A line for each job that ends, on standard error");
  auto* json =
      batch.add_flag("--json", arguments.json,
                     "Standard output is one JSON object an event, the jobs' output in it");
  ungroup->excludes(keep)->excludes(tag)->excludes(json);
  json->excludes(keep)->excludes(tag)->excludes(quiet)->excludes(verbose);
  quiet->excludes(verbose);
  for (auto* option : {keep, ungroup, tag, quiet, verbose, json}) option->group("Output");
}

void add_log_options(CLI::App& batch, BatchArguments& arguments) {
  batch
      .add_option("--joblog", arguments.joblog,
                  "A line for each job that ended: GNU parallel's columns, then ours")
      ->type_name("FILE")
      ->group("Going on");
  batch.add_flag("--resume", arguments.resume, "Leave out the jobs that the joblog has")
      ->group("Going on");
  batch
      .add_flag("--resume-failed", arguments.resume_failed,
                "Leave out the jobs that ended well in the joblog; run the others again")
      ->group("Going on");
  batch
      .add_option("--halt", arguments.halt,
                  "never, or soon or now with fail, success or done and a number or percentage: "
                  "soon,fail=1 or now,success=1 or soon,fail=20%; never")
      ->type_name("WHEN")
      ->group("Going on");
  batch
      .add_option("--retries", arguments.retries,
                  "Run a job that fails again, up to N times; also lets the emergency brake end "
                  "it and run it again; 0")
      ->check(CLI::Range(0, 1000))
      ->type_name("N")
      ->group("Going on");
}

void add_running_options(CLI::App& batch, BatchArguments& arguments) {
  batch
      .add_option("-j,--jobs", arguments.jobs,
                  "Never more than N at once, whatever the window says; default: the window alone")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->group("Running");
  batch
      .add_option("--order", arguments.order,
                  "Of jobs of equal priority: longest (predicted first) or arrival; longest")
      ->check(CLI::IsMember({"longest", "arrival"}))
      ->group("Running");
  batch
      .add_option("--timeout", arguments.timeout,
                  "End a job that runs longer: 30s, 10min; a bare number is seconds")
      ->type_name("TIME")
      ->group("Running");
  batch.add_option("--nice", arguments.nice, "Niceness of the jobs, -20 to 19")
      ->check(CLI::Range(-20, 19))
      ->group("Running");
  batch
      .add_option("--cgroups", arguments.cgroups,
                  "auto: each job in a cgroup of its own where that may be made; off; auto")
      ->check(CLI::IsMember({"auto", "off"}))
      ->group("Running");
  auto* config =
      batch.add_option("--config", arguments.config, "Options of the governor (sluice.yaml)");
  config->type_name("FILE")->group("Running");
  batch
      .add_option("--socket", arguments.socket,
                  "Let the daemon that listens there admit the jobs, not a governor of its own")
      ->type_name("PATH")
      ->excludes(config)
      ->group("Running");
  batch
      .add_flag("--daemon", arguments.uses_daemon,
                "The same with SLUICE_SOCKET or the default socket")
      ->excludes(config)
      ->group("Running");
  batch
      .add_option("--state-dir", arguments.state_dir,
                  "Where it is remembered what jobs cost; default: $XDG_STATE_HOME/sluice")
      ->type_name("FOLDER")
      ->group("Running");
}

constexpr const char* kFooter =
    "A line of input is a command for sh, or a JSON object:\n"
    "  {\"command\": \"make -C docs\", \"id\": \"docs\", \"after\": [\"lib\"], \"priority\": 5}\n"
    "with command (text for sh, or a list of program and arguments), id, key, priority, queue,\n"
    "locks, global_lock, resources, inventory, cost, memory, after, on_failure, reasons, params,\n"
    "nice, directory. With a command on the command line, a line of input is an argument of it:\n"
    "{} stands for it, {.} without its extension, {/} its file name, {//} its folder, {/.} its\n"
    "file name without the extension, {#} the job's number; where there is none, it comes last.\n\n"
    "Exit status: 0 all jobs ended well, 1 to 100 so many failed, 101 more, 2 a wrong call or\n"
    "input that cannot be used, 130 or 143 after a signal. Ctrl-C ends the jobs and leaves "
    "nothing\n"
    "behind; a second one kills them.\n\n"
    "Examples:\n"
    "  sluice batch 'gzip -9 {}' ::: *.log          one job a file\n"
    "  find . -name '*.wav' -print0 | sluice batch -0 -- flac\n"
    "  find . -name '*.wav' | sluice batch -- flac  arguments from a pipe, as with xargs -P\n"
    "  sluice batch -f commands.txt -k              a command a line, output in their order\n"
    "  sluice batch -f jobs.jsonl --joblog log --retries 2 --halt soon,fail=10%\n"
    "  sluice batch -f jobs.jsonl --joblog log --resume-failed\n"
    "  sluice batch -f commands.txt --dry-run       what would run, and what it is expected to "
    "need\n";

}  // namespace

void add_batch_options(CLI::App& batch, BatchArguments& arguments) {
  batch
      .add_option("-f,--file,-a,--arg-file", arguments.file,
                  "Commands, or arguments of COMMAND, one a line; default or -: standard input")
      ->type_name("FILE");
  batch.add_flag("-0,--null", arguments.null,
                 "Items of input end with a NUL byte, not a newline, and are taken as they are: "
                 "for `find -print0`");
  batch.add_flag("--dry-run", arguments.dry_run,
                 "Print what would run, with key and prediction, and run nothing");
  add_running_options(batch, arguments);
  add_output_options(batch, arguments);
  add_log_options(batch, arguments);
  // From the command on, options belong to the command.
  batch.add_option("command", arguments.command,
                   "A command with a place for each line of input, and its arguments after :::");
  batch.positionals_at_end();
  batch.footer(kFooter);
}

}  // namespace sluice::cli
