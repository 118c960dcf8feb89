#include "cli/batch.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/batch_command.h"
#include "cli/batch_daemon.h"
#include "cli/batch_dry_run.h"
#include "cli/batch_embedded.h"
#include "cli/batch_run.h"
#include "cli/config_from.h"
#include "cli/state_folder.h"
#include "config/values.h"
#include "costmodel/history_store.h"
#include "costmodel/job_key.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {

struct BatchArguments {
  std::string file;
  std::string config;
  std::string socket;
  bool uses_daemon = false;
  std::string state_dir;
  std::string joblog;
  bool resume = false, resume_failed = false;
  bool keep_order = false, ungroup = false, tag = false;
  std::string halt = "never";
  int retries = 0;
  bool dry_run = false;
  std::string order = "longest";
  std::optional<std::size_t> jobs;
  std::string timeout;
  bool quiet = false, verbose = false, json = false;
  std::string cgroups = "auto";
  std::optional<int> nice;
  std::vector<std::string> command;
};

[[noreturn]] void refuse(const std::string& problem) {
  std::cerr << "sluice batch: " << problem << "\n";
  throw Unusable{};
}

/// A value, or one line about why there is none.
template <typename Value>
Value taken(std::variant<Value, std::string> result) {
  if (const auto* problem = std::get_if<std::string>(&result)) refuse(*problem);
  return std::move(std::get<Value>(result));
}

/// "30s", or as GNU parallel has it a number of seconds.
std::optional<Duration> timeout_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const bool bare = text.find_first_not_of("0123456789.") == std::string::npos;
  const auto parsed = parse_duration(bare ? text + "s" : text);
  const Duration* timeout = std::get_if<Duration>(&parsed);
  if (timeout && *timeout > Duration{0}) return *timeout;
  refuse("--timeout must be a duration such as 30s or 10min, not \"" + text + "\"");
}

BatchSettings::Telling telling_of(const BatchArguments& arguments) {
  using Telling = BatchSettings::Telling;
  if (arguments.json) return Telling::json;
  if (arguments.quiet) return Telling::quiet;
  if (arguments.verbose) return Telling::verbose;
  return !arguments.ungroup && isatty(STDERR_FILENO) != 0 ? Telling::live : Telling::plain;
}

BatchSettings settings_of(const BatchArguments& arguments, const Options& options) {
  BatchSettings settings;
  settings.telling = telling_of(arguments);
  if (arguments.ungroup) settings.passing = BatchSettings::Passing::ungrouped;
  if (arguments.order == "arrival") settings.order = BatchOrder::By::arrival;
  if (arguments.keep_order) settings.output = BatchOutput::Order::as_given;
  if (arguments.tag) settings.lines = BatchOutput::Lines::tagged;
  settings.halt = taken(parse_halt(arguments.halt));
  settings.retries = arguments.retries;
  settings.most_running = arguments.jobs;
  settings.timeout = timeout_of(arguments.timeout);
  settings.nice = arguments.nice;
  if (arguments.cgroups == "off") settings.groups = Runner::Groups::off;
  settings.brake = options.reservation.brake;
  settings.z = options.reservation.z;
  settings.brake_retries = arguments.retries > 0 ? options.reservation.retries : 0;
  return settings;
}

/// Gives jobs their program and key.
BatchInput::Identify identify() {
  return [place = key_place_here()](BatchJob& job) {
    const std::vector<std::string> argv = job.argv.empty() ? argv_of_line(job.line) : job.argv;
    KeyPlace where = place;
    if (job.directory.starts_with('/')) where.directory = job.directory;
    job.request.program = program_of(argv);
    if (job.request.key.empty()) job.request.key = job_key(argv, where);
  };
}

BatchSource source_of(const BatchArguments& arguments, const BatchWords& words) {
  if (words.arguments && !arguments.file.empty()) {
    refuse("--file and `:::` both say what to run: give one of them");
  }
  if (words.arguments) return BatchSource(*words.arguments);
  const std::string path = arguments.file.empty() ? "-" : arguments.file;
  if (path == "-" && isatty(STDIN_FILENO) != 0) {
    std::cerr << "sluice batch: reading " << (words.command.empty() ? "commands" : "arguments")
              << " from the terminal, one a line; Ctrl-D ends them\n";
  }
  return taken(BatchSource::open(path));
}

BatchInput input_of(const BatchArguments& arguments, const BatchWords& words) {
  std::optional<BatchTemplate> text;
  if (!words.command.empty()) text.emplace(words.command);
  if (words.command.empty() && words.arguments) {
    return {"argument", std::nullopt, identify()};
  }
  const bool standard = arguments.file.empty() || arguments.file == "-";
  const std::string name = words.arguments ? "argument" : standard ? "stdin" : arguments.file;
  return {name, std::move(text), identify()};
}

BatchResume resume_of(const BatchArguments& arguments) {
  BatchResume resume;
  if (!arguments.resume && !arguments.resume_failed) return resume;
  resume.path = arguments.joblog;
  resume.skip = arguments.resume_failed ? BatchResume::Skip::ended_ok : BatchResume::Skip::done;
  if (access(resume.path.c_str(), F_OK) != 0) return resume;
  std::ifstream file(resume.path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) refuse(resume.path + ": cannot be read: " + strerror(errno));
  auto past = parse_joblog(text);
  if (const auto* problem = std::get_if<std::string>(&past)) {
    refuse(resume.path + ":" + *problem);
  }
  resume.past = std::move(std::get<JoblogPast>(past));
  return resume;
}

std::unique_ptr<Joblog> joblog_of(const BatchArguments& arguments, const BatchResume& resume) {
  if (arguments.joblog.empty() || arguments.dry_run) return nullptr;
  const bool appends = resume.skip != BatchResume::Skip::none;
  return taken(Joblog::open(arguments.joblog, appends ? Joblog::Start::append : Joblog::Start::anew,
                            resume.past.whole_bytes()));
}

bool jobs_differ(const QueueingOptions& queueing) {
  return !queueing.keys.empty() || !queueing.rules.empty() || !queueing.resources.empty();
}

bool of_daemon(const BatchArguments& arguments) {
  return arguments.uses_daemon || !arguments.socket.empty();
}

/// A store that is read: where a daemon learns from the same runs, they must not count twice.
class ReadOnlyStore : public SampleStore {
 public:
  explicit ReadOnlyStore(std::shared_ptr<SampleStore> store) : store_(std::move(store)) {}
  std::vector<Sample> load() override { return store_->load(); }
  void add(const Sample&) override {}
  void forget(std::string_view) override {}
  std::vector<Sample> news() override { return store_->news(); }

 private:
  std::shared_ptr<SampleStore> store_;
};

std::shared_ptr<SampleStore> read_only(std::shared_ptr<SampleStore> store) {
  if (!store) return nullptr;
  return std::make_shared<ReadOnlyStore>(std::move(store));
}

std::shared_ptr<History> history_of(const BatchArguments& arguments, const Config& config) {
  const auto folder = state_folder(arguments.state_dir, config);
  const auto say = [](const std::string& line) { std::cerr << "sluice batch: " << line << "\n"; };
  if (!folder) say("nothing is remembered: HOME is not set (--state-dir names a folder)");
  auto store = folder ? open_history_store(*folder, say) : nullptr;
  if (of_daemon(arguments)) store = read_only(std::move(store));
  return std::make_shared<History>(config.governing.cost, config.governing.reservation,
                                   std::move(store));
}

int dry_run(const BatchArguments& arguments, BatchWork& work, const CostModel& model,
            BatchOrder::By order) {
  while (work.source.is_stream()) work.source.read();
  const auto all = read_all(work, [](const JobRequest&) { return std::string(); });
  if (const auto* problems = std::get_if<std::vector<std::string>>(&all)) {
    for (const std::string& problem : *problems) std::cerr << "sluice batch: " << problem << "\n";
    return 2;
  }
  std::vector<BatchJob> jobs = std::get<std::vector<BatchJob>>(all);
  std::erase_if(jobs, [&](const BatchJob& job) { return std::get<bool>(work.resume.skips(job)); });
  print_dry_run(jobs, model, order, arguments.json ? DryRunForm::json : DryRunForm::text,
                std::cout);
  return 0;
}

std::unique_ptr<BatchDoor> door_of(const BatchArguments& arguments, const Config& config,
                                   const std::shared_ptr<History>& history,
                                   std::optional<std::size_t> most_running) {
  if (!of_daemon(arguments)) return embedded_door(config.governing, history, most_running);
  return taken(daemon_door(arguments.socket, most_running));
}

int run_jobs(const BatchArguments& arguments, const Config& config, BatchWork work,
             const BatchSettings& settings) {
  const SignalDescriptor signals(kBatchSignals);
  const auto history = history_of(arguments, config);
  const auto door = door_of(arguments, config, history, settings.most_running);
  work.joblog = joblog_of(arguments, work.resume);
  return run_batch(settings, signals, std::move(work), *door, history);
}

int run(const BatchArguments& arguments) {
  const Config config = config_from(arguments.config);
  const BatchSettings settings = settings_of(arguments, config.governing);
  const BatchWords words = taken(split_batch_words(arguments.command));
  if ((arguments.resume || arguments.resume_failed) && arguments.joblog.empty()) {
    refuse("--resume needs --joblog FILE: what has been done is read from there");
  }
  BatchWork work{{},
                 source_of(arguments, words),
                 input_of(arguments, words),
                 resume_of(arguments),
                 nullptr,
                 jobs_differ(config.governing.queueing)};
  if (!arguments.dry_run) return run_jobs(arguments, config, std::move(work), settings);
  const Assembly assembly = assemble(config.governing, {history_of(arguments, config), {}});
  return dry_run(arguments, work, assembly.cost_model, settings.order);
}

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
    "  find . -name '*.wav' | sluice batch -- flac  arguments from a pipe, as with xargs -P\n"
    "  sluice batch -f commands.txt -k              a command a line, output in their order\n"
    "  sluice batch -f jobs.jsonl --joblog log --retries 2 --halt soon,fail=10%\n"
    "  sluice batch -f jobs.jsonl --joblog log --resume-failed\n"
    "  sluice batch -f commands.txt --dry-run       what would run, and what it is expected to "
    "need\n";

}  // namespace

CLI::App* add_batch(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<BatchArguments>();
  CLI::App* batch = app.add_subcommand(
      "batch", "Run many commands, as many at once as the host can bear: no daemon, no setup");
  batch
      ->add_option("-f,--file,-a,--arg-file", arguments->file,
                   "Commands, or arguments of COMMAND, one a line; default or -: standard input")
      ->type_name("FILE");
  batch->add_flag("--dry-run", arguments->dry_run,
                  "Print what would run, with key and prediction, and run nothing");
  add_running_options(*batch, *arguments);
  add_output_options(*batch, *arguments);
  add_log_options(*batch, *arguments);
  // From the command on, options are the command's.
  batch->add_option("command", arguments->command,
                    "A command with a place for each line of input, and its arguments after :::");
  batch->positionals_at_end();
  batch->callback([=, &exit_status] { exit_status = run(*arguments); });
  batch->footer(kFooter);
  return batch;
}

}  // namespace sluice::cli
