#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errno_text.h"
#include "base/file_contents.h"
#include "base/shell_command.h"
#include "base/value_or_throw.h"
#include "cli/batch/daemon.h"
#include "cli/batch/dry_run.h"
#include "cli/batch/embedded.h"
#include "cli/batch/nested.h"
#include "cli/batch/options.h"
#include "cli/batch/run.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/declared.h"
#include "cli/settings/config_from.h"
#include "costmodel/job_key.h"
#include "costmodel/store/history_store.h"
#include "sensors/host.h"
#include "sluice/embed.h"

namespace sluice::cli {
namespace {

std::optional<Duration> timeout_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (const auto timeout = positive_duration(text)) return timeout;
  refuse("--timeout must be a duration such as 30s or 10min, not \"" + text + "\"");
}

BatchSettings::Telling telling_of(const BatchArguments& arguments) {
  using Telling = BatchSettings::Telling;
  if (arguments.json) return Telling::json;
  if (arguments.quiet) return Telling::quiet;
  if (arguments.verbose) return Telling::verbose;
  const bool is_grouped = arguments.settings.passing != BatchSettings::Passing::ungrouped;
  return is_grouped && isatty(STDERR_FILENO) != 0 ? Telling::live : Telling::plain;
}

BatchSettings batch_settings(const BatchArguments& arguments, const Options& options) {
  BatchSettings settings = arguments.settings;
  settings.telling = telling_of(arguments);
  if (arguments.order == "arrival") settings.order = BatchOrder::By::arrival;
  settings.halt = value_or_throw(parse_halt(arguments.halt));
  settings.timeout = timeout_of(arguments.timeout);
  if (arguments.cgroups == "off") settings.groups = Runner::Groups::off;
  settings.reservation = options.reservation;
  settings.brake_retries = settings.retries > 0 ? options.reservation.retries : 0;
  return settings;
}

std::optional<Bytes> memory_of(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<Bytes>(declared_memory(text));
}

/// Gives each job its program and key, and the memory of those that declare none.
BatchInput::Identify identify(std::optional<Bytes> memory) {
  return [place = key_place_here(), memory](BatchJob& job) {
    if (!job.request.memory) job.request.memory = memory;
    const std::vector<std::string> argv = job.argv.empty() ? argv_of_line(job.line) : job.argv;
    KeyPlace where = place;
    if (job.directory.starts_with('/')) where.directory = job.directory;
    job.request.program = program_of(argv);
    if (!job.request.key.empty()) return;
    job.request.key = job_key(argv, where);
    job.request.variant = job_variant(argv, where);
  };
}

BatchEnd end_of(const BatchArguments& arguments, const BatchWords& words) {
  if (words.arguments) return BatchEnd::word;
  return arguments.null ? BatchEnd::nul : BatchEnd::newline;
}

BatchSource source_of(const BatchArguments& arguments, const BatchWords& words) {
  if (words.arguments && !arguments.file.empty()) {
    refuse("--file and `:::` both say what to run; give only one");
  }
  if (words.arguments && arguments.null) refuse("--null applies to input, which `:::` replaces");
  if (words.arguments) return BatchSource(*words.arguments);
  const std::string path = arguments.file.empty() ? "-" : arguments.file;
  if (path == "-" && isatty(STDIN_FILENO) != 0) {
    std::cerr << "sluice batch: reading " << (words.command.empty() ? "commands" : "arguments")
              << " from the terminal, one per line; Ctrl-D ends the input\n";
  }
  return value_or_throw(BatchSource::open(path, end_of(arguments, words)));
}

BatchInput input_of(const BatchArguments& arguments, const BatchWords& words,
                    std::optional<Bytes> memory) {
  std::optional<BatchTemplate> text;
  if (!words.command.empty()) text.emplace(words.command);
  if (words.command.empty() && words.arguments) {
    return {"argument", std::nullopt, identify(memory)};
  }
  const bool standard = arguments.file.empty() || arguments.file == "-";
  const std::string name = words.arguments ? "argument" : standard ? "stdin" : arguments.file;
  return {name, std::move(text), identify(memory), end_of(arguments, words)};
}

BatchResume resume_of(const BatchArguments& arguments) {
  BatchResume resume;
  if (!arguments.resume && !arguments.resume_failed) return resume;
  resume.path = arguments.joblog;
  resume.skip = arguments.resume_failed ? BatchResume::Skip::ended_ok : BatchResume::Skip::done;
  if (access(resume.path.c_str(), F_OK) != 0) return resume;
  const auto text = file_contents(resume.path);
  if (!text) refuse(errno_text(resume.path + ": cannot be read"));
  resume.past = value_or_throw(parse_joblog(*text), resume.path + ":");
  return resume;
}

std::unique_ptr<Joblog> joblog_of(const BatchArguments& arguments, const BatchResume& resume) {
  if (arguments.joblog.empty() || arguments.dry_run) return nullptr;
  const bool appends = resume.skip != BatchResume::Skip::none;
  return value_or_throw(Joblog::open(arguments.joblog,
                                     appends ? Joblog::Start::append : Joblog::Start::truncate,
                                     resume.past.whole_bytes()));
}

bool jobs_differ(const QueueingOptions& queueing) {
  return !queueing.keys.empty() || !queueing.rules.empty() || !queueing.resources.empty();
}

bool of_daemon(const BatchArguments& arguments) {
  return arguments.uses_daemon || !arguments.socket.empty();
}

/// Whether a daemon governs the jobs or granted the permit of this process; it then learns from
/// them.
bool asks_daemon(const BatchArguments& arguments) {
  const auto outer = outer_permit();
  return of_daemon(arguments) || (outer && !outer->socket.empty());
}

/// A store that is only read: if a daemon learns from the same runs, they must not count twice.
class ReadOnlyStore : public SampleStore {
 public:
  explicit ReadOnlyStore(std::shared_ptr<SampleStore> store) : store_(std::move(store)) {}
  std::vector<Sample> load() override { return store_->load(); }
  void add(const Sample&) override {}
  std::vector<ForgottenKey> forget(const SampleFilter&) override { return {}; }
  StoreNews news() override { return store_->news(); }
  void poll() override { store_->poll(); }

 private:
  std::shared_ptr<SampleStore> store_;
};

std::shared_ptr<SampleStore> read_only(std::shared_ptr<SampleStore> store) {
  if (!store) return nullptr;
  return std::make_shared<ReadOnlyStore>(std::move(store));
}

std::shared_ptr<History> batch_history(const BatchArguments& arguments, const Config& config) {
  const auto folder = state_folder(arguments.state_dir, config);
  const auto say = [](const std::string& line) { std::cerr << "sluice batch: " << line << "\n"; };
  if (!folder) say("not saving what is learned: HOME is not set; pass --state-dir FOLDER");
  auto store = folder ? open_history_store(*folder, say) : nullptr;
  if (asks_daemon(arguments)) store = read_only(std::move(store));
  return std::make_shared<History>(settle(config.governing.cost, config.governing.window.law),
                                   config.governing.reservation, std::move(store),
                                   read_host_facts({}).memory_total.value_or(kAnyMemory));
}

std::unique_ptr<AdmissionBackend> backend_of(const BatchArguments& arguments, const Config& config,
                                             const std::shared_ptr<History>& history,
                                             std::optional<std::size_t> most_running) {
  if (!of_daemon(arguments)) {
    return governed_backend(config.governing, history, most_running, outer_permit());
  }
  return value_or_throw(daemon_backend(arguments.socket, most_running));
}

/// Returns the error that a job would cause if it ran. A daemon reports it when it is asked to
/// admit the job, so this asks only a governor of our own.
CheckJob check_of(const BatchArguments& arguments, const Config& config,
                  const std::shared_ptr<History>& history) {
  if (of_daemon(arguments)) return [](const JobRequest&) { return std::string(); };
  const std::shared_ptr<AdmissionBackend> backend =
      embedded_backend(config.governing, history, arguments.settings.most_running);
  return [backend](const JobRequest& job) { return backend->check(job); };
}

int dry_run(const BatchArguments& arguments, const Config& config, BatchWork& work,
            BatchOrder::By order) {
  while (work.source.is_stream()) work.source.read();
  if (work.source.problem()) refuse(*work.source.problem());
  const auto history = batch_history(arguments, config);
  const auto all = read_all(work, check_of(arguments, config, history));
  if (const auto* problems = std::get_if<std::vector<std::string>>(&all)) {
    for (const std::string& problem : *problems) std::cerr << "sluice batch: " << problem << "\n";
    return 2;
  }
  const Assembly assembly = assemble(config.governing, {history, {}});
  print_dry_run(std::get<std::vector<BatchJob>>(all), work.resume, assembly.cost_model, order,
                arguments.json ? DryRunForm::json : DryRunForm::text, std::cout);
  return 0;
}

int run_jobs(const BatchArguments& arguments, const Config& config, BatchWork work,
             const BatchSettings& settings) {
  const SignalDescriptor signals(kBatchSignals);
  // Before any thread: the guard that it forks must not inherit a lock held by another thread.
  Runner runner(settings.groups);
  const auto history = batch_history(arguments, config);
  const auto backend = backend_of(arguments, config, history, settings.most_running);
  work.joblog = joblog_of(arguments, work.resume);
  return run_batch(settings, signals, runner, std::move(work), *backend, history);
}

int execute_batch(const BatchArguments& arguments) {
  const Config config = config_from(arguments.config);
  if (const auto problem = high_without_swap(config.governing)) refuse(*problem);
  const BatchSettings settings = batch_settings(arguments, config.governing);
  const std::optional<Bytes> memory = memory_of(arguments.memory);
  const BatchWords words = value_or_throw(split_batch_words(arguments.command));
  if ((arguments.resume || arguments.resume_failed) && arguments.joblog.empty()) {
    refuse("--resume needs --joblog FILE, which lists the finished jobs");
  }
  BatchWork work{{},
                 source_of(arguments, words),
                 input_of(arguments, words, memory),
                 resume_of(arguments),
                 nullptr,
                 jobs_differ(config.governing.queueing)};
  if (!arguments.dry_run) return run_jobs(arguments, config, std::move(work), settings);
  return dry_run(arguments, config, work, settings.order);
}

}  // namespace

void add_batch(CLI::App& app, int& exit_status) {
  const auto [batch, arguments] =
      add_command(app, exit_status, "batch",
                  "Run many commands, as many at once as the host can handle: no daemon, no setup",
                  execute_batch);
  add_batch_options(batch, arguments);
}

}  // namespace sluice::cli
