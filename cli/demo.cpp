#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>

#include "base/errno_text.h"
#include "base/file_contents.h"
#include "base/non_copyable.h"
#include "base/value_or_throw.h"
#include "cli/batch/nested.h"
#include "cli/batch/options.h"
#include "cli/batch/run.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/settings/config_from.h"
#include "cli/workload.h"
#include "costmodel/history.h"
#include "costmodel/job_key.h"
#include "sensors/host.h"
#include "sensors/memory_meter.h"

namespace sluice::cli {
namespace {
namespace fs = std::filesystem;

struct DemoArguments {
  std::size_t jobs = 0;
  std::string commands;
  std::string config;
  std::string time_limit;
  bool json = false;
};

/// A temporary folder, removed with its contents.
class ScratchFolder : NonCopyable {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "sluice-demo-XXXXXX").string();
    if (!mkdtemp(pattern.data())) {
      throw std::runtime_error("cannot create a folder like " + errno_text(pattern));
    }
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The same as `file_contents`, and of standard input for `-`.
std::optional<std::string> contents_of(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return file_contents(path);
}

/// The compile database of the build that this program comes from: <build>/bin/sluice.
std::string own_compile_commands() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path().parent_path() / "compile_commands.json").string();
}

/// Where a demo takes its jobs from.
enum class DemoJobs { commands, own_build, built_in };

/// An installed program has no build around it.
DemoJobs demo_jobs_of(const DemoArguments& arguments) {
  if (!arguments.commands.empty()) return DemoJobs::commands;
  std::error_code ignored;
  return fs::exists(own_compile_commands(), ignored) ? DemoJobs::own_build : DemoJobs::built_in;
}

Workload workload_of(DemoJobs source, const DemoArguments& arguments, const std::string& scratch) {
  if (source == DemoJobs::built_in) return built_in_jobs();
  const bool own = source == DemoJobs::own_build;
  const std::string path = own ? own_compile_commands() : arguments.commands;
  const auto text = contents_of(path);
  if (!text) return errno_text(path);
  Workload workload = own ? from_compile_commands(*text, scratch) : from_lines(*text);
  if (const auto* error = std::get_if<std::string>(&workload)) return path + ": " + *error;
  return workload;
}

Workload demo_items(DemoJobs source, const DemoArguments& arguments, const std::string& scratch) {
  Workload workload = workload_of(source, arguments, scratch);
  const auto* items = std::get_if<std::vector<WorkItem>>(&workload);
  if (items && arguments.jobs != 0) return repeated(*items, arguments.jobs);
  return workload;
}

/// On standard error, since the report may be JSON.
void tell_of_built_in_jobs() {
  std::cerr << "sluice demo: runs small jobs of its own, since this program is installed outside "
               "its build; to run yours, pass --commands FILE"
            << std::endl;
}

constexpr Duration kOwnTime = std::chrono::seconds(60);
/// For ended jobs to go and for the summary.
constexpr Duration kEnding = std::chrono::seconds(3);

std::string problem_of_time(const std::string& text) {
  return positive_duration(text) ? ""
                                 : "must be a duration such as 30s or 10min, not \"" + text + "\"";
}

BatchSettings::Span span_of(Duration total) {
  const Duration no_start = total - total / 4;
  return {total, no_start, std::max(no_start, total - kEnding)};
}

/// nullopt: as long as the jobs take. Jobs that the caller chose are not cut short by default.
std::optional<BatchSettings::Span> span_of(const DemoArguments& arguments) {
  const bool own = arguments.commands.empty() && arguments.jobs == 0;
  if (arguments.time_limit.empty()) return own ? std::optional(span_of(kOwnTime)) : std::nullopt;
  return span_of(*positive_duration(arguments.time_limit));
}

VerdictTerms verdict_terms(DemoJobs source) {
  const HostPaths paths;
  const HostFacts host = read_host_facts(paths);
  VerdictTerms terms;
  terms.job = source == DemoJobs::own_build ? "compile job" : "command";
  terms.cpus = host.cpus_usable;
  for (const MemoryLimit& each : memory_meter(paths, host)(Clock::now())) {
    terms.memory_bytes = std::min(terms.memory_bytes.value_or(each.limit.value), each.limit.value);
  }
  return terms;
}

/// A demo is a batch of jobs that may run twice, and that shows only the last line of output of
/// jobs that fail.
BatchSettings demo_settings(const DemoArguments& arguments, DemoJobs source,
                            const ReservationOptions& reservation) {
  using Telling = BatchSettings::Telling;
  BatchSettings settings;
  settings.speaker = "sluice demo";
  settings.told_on = STDOUT_FILENO;
  settings.telling = arguments.json               ? Telling::json
                     : isatty(STDOUT_FILENO) != 0 ? Telling::live
                                                  : Telling::verbose;
  settings.passing = BatchSettings::Passing::withheld;
  settings.span = span_of(arguments);
  settings.verdict = verdict_terms(source);
  settings.reservation = reservation;
  settings.brake_retries = reservation.retries;
  return settings;
}

std::vector<BatchJob> demo_jobs(std::vector<WorkItem> items) {
  const KeyPlace here = key_place_here();
  std::vector<BatchJob> jobs;
  for (WorkItem& item : items) {
    KeyPlace place = here;
    if (!item.directory.empty()) place.directory = item.directory;
    BatchJob job;
    job.seq = jobs.size() + 1;
    job.place = "job " + std::to_string(job.seq);
    job.request.program = program_of(item.argv);
    job.request.key = job_key(item.argv, place);
    job.request.variant = job_variant(item.argv, place);
    job.request.measured = true;
    job.line = job.tag = std::move(item.name);
    job.argv = std::move(item.argv);
    job.directory = std::move(item.directory);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

int execute_demo(const DemoArguments& arguments) {
  const Options options = config_from(arguments.config).governing;
  if (const auto problem = high_without_swap(options)) refuse(*problem);
  const ScratchFolder scratch;
  const DemoJobs source = demo_jobs_of(arguments);
  auto items = value_or_throw(demo_items(source, arguments, scratch.path()));
  if (source == DemoJobs::built_in) tell_of_built_in_jobs();
  const BatchSettings settings = demo_settings(arguments, source, options.reservation);
  const SignalDescriptor signals(kBatchSignals);
  // Before any thread: the guard that it forks must not inherit a lock held by another thread.
  Runner runner(settings.groups);
  // A demo learns for its own later jobs only.
  const auto history = std::make_shared<History>(settle(options.cost, options.window.law),
                                                 options.reservation, nullptr);
  const auto backend = governed_backend(options, history, settings.most_running, outer_permit());
  BatchWork work;
  work.jobs = demo_jobs(std::move(items));
  return run_batch(settings, signals, runner, std::move(work), *backend, history);
}

}  // namespace

void add_demo(CLI::App& app, int& exit_status) {
  const auto [demo, arguments] = add_command(
      app, exit_status, "demo", "Run real jobs under the governor; needs no setup, daemon or files",
      execute_demo);
  add_value(demo, "--jobs", arguments.jobs, "N",
            "How many jobs; default: each command once; repeats them if larger")
      ->check(CLI::Range(1, 100000));
  add_value(demo, "--commands", arguments.commands, "FILE",
            "Shell commands to run, one per line; - for standard input. Default: the compile "
            "jobs of the build this program is in, into a temporary folder; outside a build, small "
            "jobs of its own");
  add_value(demo, "--config", arguments.config, "FILE", "The governor's options (sluice.yaml)");
  add_value(demo, "--for", arguments.time_limit, "TIME",
            "Time limit: 30s, 10min; a bare number is seconds. No job starts after three quarters "
            "of it, and running jobs are ended shortly before it is over. Default: 60s, none with "
            "--jobs or --commands")
      ->check(problem_of_time);
  demo.add_flag("--json", arguments.json,
                "Print one JSON object per line, the summary with the verdict last");
  demo.footer(
      "Exit status: 0 if no job failed (jobs that --for kept from running do not count), 1 to "
      "100 if that many failed, 101 if more, 130 after Ctrl-C, which ends the jobs and leaves "
      "nothing behind.\n\n"
      "Examples:\n"
      "  sluice demo                              compile Sluice, or run small jobs\n"
      "  sluice demo --for 10min                  the same for longer\n"
      "  ls *.wav | sed 's/.*/flac \"&\"/' | sluice demo --commands -\n");
}

}  // namespace sluice::cli
