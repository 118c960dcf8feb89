#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/value_or_throw.h"
#include "cli/ask.h"
#include "cli/command_line/add_value.h"
#include "cli/commands.h"
#include "cli/declared.h"
#include "cli/job_reports.h"
#include "cli/permit/admission.h"
#include "cli/permit/outer_permit.h"
#include "cli/permit/reach.h"
#include "client/client.h"
#include "costmodel/job_key.h"
#include "process/command_process.h"

namespace sluice::cli {
namespace {
namespace json = boost::json;

struct RunArguments {
  std::string socket;
  std::string key;
  std::optional<int> priority;
  std::optional<int> inventory;
  std::optional<std::int64_t> cost;
  std::string memory;
  std::string queue;
  std::vector<std::string> locks;
  bool global_lock = false;
  std::vector<std::string> resources;
  std::vector<std::string> after;
  std::string on_failure;
  std::vector<std::string> reasons;
  std::vector<std::string> params;
  std::optional<int> nice;
  std::string wait;
  NoDaemon no_daemon = NoDaemon::usual;
  bool verbose = false;
  WaitTelling telling = WaitTelling::told;
  std::vector<std::string> command;
};

/// Adds the options' declarations under `field`; throws the problem if one is wrong.
void add_field(json::object& body, const char* field, const std::vector<std::string>& options,
               Declared (*declared)(const std::vector<std::string>&)) {
  if (!options.empty()) body[field] = value_or_throw(declared(options));
}

void add_field(json::object& body, const char* field, const std::vector<std::string>& texts) {
  if (!texts.empty()) body[field] = json::array(texts.begin(), texts.end());
}

void add_field(json::object& body, const char* field, const std::string& text) {
  if (!text.empty()) body[field] = text;
}

/// Without a key of its own, a job gets one shared by all runs of the same command, by which its
/// needs are learned. A highlander manager treats jobs of one key as the same job, though: a job
/// that names a manager and no key stays without one.
bool derives_key(const RunArguments& arguments) {
  return arguments.key.empty() && arguments.resources.empty();
}

void add_key(json::object& body, const RunArguments& arguments) {
  if (!derives_key(arguments)) return add_field(body, "key", arguments.key);
  const KeyPlace place = key_place_here();
  add_field(body, "key", job_key(arguments.command, place));
  add_field(body, "variant", job_variant(arguments.command, place));
}

/// The body of the submit. Throws one line that says which option is wrong.
json::object submit_body(const RunArguments& arguments) {
  json::object body{
      {"hold", "connection"}, {"pid", "peer"}, {"measured", true}, {"suspendable", true}};
  add_parent(body);
  add_key(body, arguments);
  add_field(body, "program", program_of(arguments.command));
  add_field(body, "queue", arguments.queue);
  add_field(body, "on_failure", arguments.on_failure);
  if (!arguments.memory.empty()) body["memory"] = declared_memory(arguments.memory).value;
  if (arguments.priority) body["priority"] = *arguments.priority;
  if (arguments.inventory) body["inventory"] = *arguments.inventory;
  if (arguments.cost) body["cost"] = *arguments.cost;
  if (arguments.nice) body["nice"] = *arguments.nice;
  if (arguments.global_lock) body["global_lock"] = true;
  add_field(body, "after", arguments.after);
  add_field(body, "reasons", arguments.reasons);
  add_field(body, "locks", arguments.locks, declared_locks);
  add_field(body, "resources", arguments.resources, declared_resources);
  add_field(body, "params", arguments.params, declared_params);
  return body;
}

void tell(const std::string& line) { std::cerr << "sluice run: " << line << "\n"; }

int print_refusal(const Refused& refused) {
  tell(refused.message);
  return refused.status;
}

/// Ends this process as the command ended.
int end_as(const CommandEnd& end) {
  if (!end.left.empty()) tell(end.left);
  if (!end.problem.empty()) tell(end.problem);
  if (end.signal != 0) die_by(end.signal);
  return end.status;
}

Waiting waiting_of(const RunArguments& arguments) {
  Waiting waiting{.telling = arguments.telling, .no_daemon = arguments.no_daemon};
  if (arguments.wait.empty()) return waiting;
  waiting.give_up = Clock::now() + declared_time("--wait", arguments.wait);
  return waiting;
}

/// Runs an admitted command; returns this process's exit status.
int execute(const RunArguments& arguments, Client& client, const SignalDescriptor& signals,
            const AdmittedJob& job) {
  CommandSurroundings surroundings;
  surroundings.environment = job.terms.environment;
  surroundings.nice = job.terms.nice;
  surroundings.memory_high = job.terms.memory_high;
  surroundings.memory_max = job.terms.memory_max;
  surroundings.expected = job.terms.expected;
  surroundings.warn = tell;
  if (arguments.verbose) {
    surroundings.isolation_description = [](const std::string& means) {
      tell("isolated by " + means);
    };
  }
  JobReports reports(client, job.number, job.process, tell);
  surroundings.account = &reports;
  const CommandEnd end = run_command(arguments.command, signals, surroundings);
  reports.ended(end);
  if (end.oom_killed) tell("the kernel killed it: out of memory");
  return end_as(end);
}

/// Runs a command without governing it; returns this process's exit status.
int execute_ungoverned(const RunArguments& arguments, const SignalDescriptor& signals,
                       const std::string& why) {
  tell("running ungoverned: " + why);
  CommandSurroundings surroundings;
  surroundings.nice = arguments.nice;
  surroundings.warn = tell;
  return end_as(run_command(arguments.command, signals, surroundings));
}

int execute_run(const RunArguments& arguments) {
  const Waiting waiting = waiting_of(arguments);
  const json::object body = submit_body(arguments);
  const auto& until = waiting.give_up;
  const Duration patience =
      until ? std::clamp(*until - Clock::now(), Duration{0}, kRestartTime) : kRestartTime;
  auto connected = reach_daemon(arguments.socket, arguments.no_daemon, patience, "sluice run");
  const SignalDescriptor signals(kCommandSignals);
  if (auto* problem = std::get_if<std::string>(&connected)) {
    if (arguments.no_daemon == NoDaemon::run) {
      return execute_ungoverned(arguments, signals, *problem);
    }
    return print_refusal({kUnusable, std::move(*problem)});
  }
  Client& client = std::get<Client>(connected);
  const auto admitted = wait_for_admission(client, signals, json::serialize(body), waiting);
  if (const auto* refused = std::get_if<Refused>(&admitted)) {
    const bool is_alone = refused->no_daemon && arguments.no_daemon == NoDaemon::run;
    return is_alone ? execute_ungoverned(arguments, signals, refused->message)
                    : print_refusal(*refused);
  }
  return execute(arguments, client, signals, std::get<AdmittedJob>(admitted));
}

void add_queue_options(CLI::App& command, RunArguments& arguments) {
  command.option_defaults()->group("Waiting");
  add_value(command, "--queue", arguments.queue, "QUEUE",
            "The queue to wait in; default: `default`");
  add_value(command, "--lock", arguments.locks, "LOCK",
            "LEVEL=MODE, repeatable: what to lock, such as node=exclusive:n1,n2 or "
            "node=unknown-shared")
      ->allow_extra_args(false);
  command.add_flag("--global-lock", arguments.global_lock, "Lock everything");
  add_value(command, "--resource", arguments.resources, "M=N",
            "MANAGER=N, repeatable: units to take of a resource manager")
      ->allow_extra_args(false);
  add_value(command, "--after", arguments.after, "JOB", "Repeatable: start only after this job")
      ->allow_extra_args(false);
  command
      .add_option("--on-failure", arguments.on_failure,
                  "Action if such a job fails; default: cancel")
      ->check(CLI::IsMember({"cancel", "run", "hold"}));
  add_value(command, "--reason", arguments.reasons, "TEXT",
            "Repeatable: for rules; rate-limit:N:LABEL runs N at once")
      ->allow_extra_args(false);
  add_value(command, "--param", arguments.params, "K=V",
            "NAME=VALUE, repeatable: fills in the locks of its key")
      ->allow_extra_args(false);
  command.option_defaults()->group("Options");
}

}  // namespace

void add_run(CLI::App& app, int& exit_status) {
  const auto [command, arguments] =
      add_command(app, exit_status, "run", "Run a command when the host has room", execute_run);
  add_socket(command, arguments.socket);
  add_value(command, "--key", arguments.key, "KEY",
            "The kind of job; default: derived from the command");
  add_value(command, "--priority", arguments.priority, "N", "Larger runs first; default: 0");
  add_value(command, "--inventory", arguments.inventory, "N", "Nodes the job drives; default: 1");
  add_value(command, "--cost", arguments.cost, "N", "Its cost in points; default: predicted");
  add_value(command, "--memory", arguments.memory, "SIZE",
            "Its peak memory, such as 1.5GiB; default: predicted");
  add_value(command, "--nice", arguments.nice, "N", "Niceness of the command, -20 to 19");
  add_value(command, "--wait", arguments.wait, "TIME",
            "Give up after this long (30s, 10min); default: never");
  add_no_daemon(command, arguments.no_daemon, MayRun::yes);
  command.add_flag("-v,--verbose", arguments.verbose, "Say how the command is isolated");
  add_choice(
      command, "-q,--quiet", arguments.telling, WaitTelling::silent,
      "Do not say why the command waits (otherwise on standard error after 2 s, when the reason "
      "changes and every minute)");
  add_queue_options(command, arguments);
  command.add_option("command", arguments.command, "The command and its arguments, after --")
      ->required();
  command.footer(
      "Items of a discrete resource manager PORTS are passed as SLUICE_RM_PORTS_ITEMS=p1,p2.\n\n"
      "Exit status: the command's; if a signal kills it, the same signal ends sluice. "
      "127 not found, 126 not executable, 2 no daemon or the job can never run, 75 not "
      "admitted in time, cancelled, or a job with its key already waits.\n\n"
      "Examples:\n"
      "  sluice run -- make -j4\n"
      "  sluice run --key build --inventory 2 -- ./build.sh --fast\n"
      "  sluice run --memory 6GiB -- ./link.sh\n"
      "  sluice run --wait 10min -v -- tox\n"
      "  sluice run --queue nightly --resource ports=2 --nice 10 -- ./system-test.sh\n"
      "  sluice run --key migrate --lock instance=exclusive:i1 \\\n"
      "      --lock node=exclusive:n1 -- ./migrate.sh\n"
      "  sluice run --after build-4711 --on-failure run -- ./report.sh\n");
}

}  // namespace sluice::cli
